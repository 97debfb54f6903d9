import type { Span } from '../state/view-state.ts'

/** Greatest distance from an edge of the window at which the pointer moves the edge, in pixels. */
const EDGE = 6

export type Grip = 'from' | 'to' | 'window' | 'outside'

/**
 * Returns the part of the window under a pointer. @param x pixels from the left @param width pixels of the whole run
 */
export function gripAt(x: number, window: Span, whole: Span, width: number): Grip {
  const [from, to] = [window.from, window.to].map((t) => ((t - whole.from) / (whole.to - whole.from)) * width)
  if (Math.abs(x - from) <= EDGE && x - from <= to - x) return 'from'
  if (Math.abs(x - to) <= EDGE) return 'to'
  return x > from && x < to ? 'window' : 'outside'
}

/** Returns the window after its grip was moved by seconds. @param least least length of a window */
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
