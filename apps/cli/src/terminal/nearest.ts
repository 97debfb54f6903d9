import { closest, distance } from 'fastest-levenshtein'

/** The candidate that differs from what was typed by a slip or two, if there is one. */
export function nearest(typed: string, candidates: ReadonlyArray<string>): string | undefined {
  if (candidates.length === 0) return undefined
  const candidate = closest(typed, candidates)
  return distance(typed, candidate) <= 2 ? candidate : undefined
}
