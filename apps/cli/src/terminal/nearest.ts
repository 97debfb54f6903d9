import { closest, distance } from 'fastest-levenshtein'

/** Returns the candidate nearest to a text, if at most two typing errors apart, undefined without a near candidate. */
export function nearest(typed: string, candidates: ReadonlyArray<string>): string | undefined {
  if (candidates.length === 0) return undefined
  const candidate = closest(typed, candidates)
  return distance(typed, candidate) <= 2 ? candidate : undefined
}

/** Ends a message about an unknown name: with the nearest known name, or with all known names if none is near. */
export function meant(name: string, known: ReadonlyArray<string>): string {
  const close = nearest(name, known)
  return close === undefined ? `; expected one of ${known.join(', ')}` : `; did you mean ${close}?`
}
