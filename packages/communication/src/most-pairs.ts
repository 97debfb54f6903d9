import { patternParts } from './patterns.ts'

/**
 * Returns an upper bound for the number of pairs of ranks that `communicationCost` visits for a pattern. For
 * all-to-all, the bound grows with the square of the number of ranks. Returns 0 for an unknown pattern.
 */
export function mostPairs(pattern: string, ranks: number): number {
  const each = ranks * Math.max(3, 32 - Math.clz32(ranks))
  return (patternParts(pattern) ?? []).reduce(
    (sum, { pattern: { name } }) => sum + (name === 'all-to-all' ? (ranks * ranks) / 2 : each),
    0,
  )
}
