import type { Span } from '../state/view-state.ts'

/** Pixels beside an edge of the window that move the edge. */
const EDGE = 6

export type Grip = 'from' | 'to' | 'window' | 'outside'

/** What of the window a pointer takes hold of. @param x pixels from the left, of `width` for the whole run */
export function gripAt(x: number, window: Span, whole: Span, width: number): Grip {
  const [from, to] = [window.from, window.to].map((t) => ((t - whole.from) / (whole.to - whole.from)) * width)
  if (Math.abs(x - from) <= EDGE && x - from <= to - x) return 'from'
  if (Math.abs(x - to) <= EDGE) return 'to'
  return x > from && x < to ? 'window' : 'outside'
}

/** The window after its grip was moved by some seconds. @param least length of a window */
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
