import type { Pattern } from './pattern.ts'

/** A pattern and its weight among others. */
export interface PatternPart {
  readonly pattern: Pattern
  /** A whole number above 0. */
  readonly weight: number
}

/** What a mixture is spelled as, `recursive-doubling*3+binomial-tree*7`, in names and weights; undefined where it is no mixture. */
export function mixtureNames(text: string): ReadonlyArray<readonly [name: string, weight: number]> | undefined {
  const parts = text.split('+').map((part) => /^([a-z0-9-]+)\*([1-9]\d{0,3})$/.exec(part))
  return parts.length < 2 || parts.includes(null)
    ? undefined
    : parts.map((part) => [part![1], Number(part![2])] as const)
}

/** The steps of all its parts, each as often as its part weighs. */
export function mixture(name: string, parts: ReadonlyArray<PatternPart>): Pattern {
  return {
    name,
    forEachPair(ranks, pair, endOfStep) {
      for (const { pattern, weight } of parts) pattern.forEachPair(ranks, pair, (times) => endOfStep(times * weight))
    },
  }
}
