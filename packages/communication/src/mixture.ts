import type { Pattern } from './pattern.ts'

/** Part of a mixture of patterns: a pattern and its weight. */
export interface PatternPart {
  readonly pattern: Pattern
  /** Number of times that the steps of the part are repeated, an integer above 0. */
  readonly weight: number
}

/** Returns the names and weights of a mixture such as `ring*3+pairs*7`; undefined for any other text. */
export function mixtureNames(text: string): ReadonlyArray<readonly [name: string, weight: number]> | undefined {
  const parts = text.split('+').map((part) => /^([a-z0-9-]+)\*([1-9]\d{0,3})$/.exec(part))
  return parts.length < 2 || parts.includes(null)
    ? undefined
    : parts.map((part) => [part![1], Number(part![2])] as const)
}

/** Returns the pattern of a mixture: the steps of all parts, each repeated as often as the weight of its part. */
export function mixture(name: string, parts: ReadonlyArray<PatternPart>): Pattern {
  return {
    name,
    forEachPair(ranks, pair, endOfStep) {
      for (const { pattern, weight } of parts) pattern.forEachPair(ranks, pair, (times) => endOfStep(times * weight))
    },
  }
}
