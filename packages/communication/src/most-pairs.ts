import { patternParts } from './patterns.ts'

/**
 * How many pairs of ranks the cost of a job's communication looks at, at most: for all-to-all they grow with the square of the ranks.
 * 0 where no pattern is known by the name.
 */
export function mostPairs(pattern: string, ranks: number): number {
  const each = ranks * Math.max(3, 32 - Math.clz32(ranks))
  return (patternParts(pattern) ?? []).reduce(
    (sum, { pattern: { name } }) => sum + (name === 'all-to-all' ? (ranks * ranks) / 2 : each),
    0,
  )
}
