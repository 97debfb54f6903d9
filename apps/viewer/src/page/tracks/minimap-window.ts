import type { Span } from '../state/view-state.ts'

/** Greatest distance between the pointer and an edge of the window at which a drag moves the edge, in CSS pixels. */
const EDGE = 6

export type Grip = 'from' | 'to' | 'window' | 'outside'

/** Returns the part of the minimap's window at `x` CSS pixels from the left of the run, drawn `width` pixels wide. */
export function gripAt(x: number, window: Span, whole: Span, width: number): Grip {
  const [from, to] = [window.from, window.to].map((t) => ((t - whole.from) / (whole.to - whole.from)) * width)
  if (Math.abs(x - from) <= EDGE && x - from <= to - x) return 'from'
  if (Math.abs(x - to) <= EDGE) return 'to'
  return x > from && x < to ? 'window' : 'outside'
}

/** Returns the minimap's window after a drag by `by` seconds (negative: earlier), at least `least` seconds long. */
export function dragged(grip: Grip, window: Span, by: number, whole: Span, least: number): Span {
  const clamp = (t: number): number => Math.max(whole.from, Math.min(whole.to, t))
  switch (grip) {
    case 'from':
      return { from: Math.min(clamp(window.from + by), window.to - least), to: window.to }
    case 'to':
      return { from: window.from, to: Math.max(clamp(window.to + by), window.from + least) }
    default: {
      const length = window.to - window.from
      const from = Math.max(whole.from, Math.min(whole.to - length, window.from + by))
      return { from, to: from + length }
    }
  }
}
