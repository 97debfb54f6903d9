import { closest, distance } from 'fastest-levenshtein'

/** Returns the candidate within two typing errors of a text; undefined without such a candidate. */
export function nearest(typed: string, candidates: ReadonlyArray<string>): string | undefined {
  if (candidates.length === 0) return undefined
  const candidate = closest(typed, candidates)
  return distance(typed, candidate) <= 2 ? candidate : undefined
}
