// Packages that import this source compile without the other files of the package.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./jstat.d.ts" />
import jstat from 'jstat'

/** Mean of a sample, with the 95 % confidence interval of the true mean. */
export interface Interval {
  readonly mean: number
  /** Half of the width of the interval, by Student's distribution, or null for a single value. */
  readonly half: number | null
  readonly count: number
}

/** Returns the mean of independent values (at least one), with the confidence interval of the mean. */
export function intervalOf(values: ReadonlyArray<number>): Interval {
  const count = values.length
  const mean = values.reduce((sum, each) => sum + each, 0) / count
  if (count < 2) return { mean, half: null, count }
  const squares = values.reduce((sum, each) => sum + (each - mean) * (each - mean), 0)
  const error = Math.sqrt(squares / (count - 1) / count)
  return { mean, half: jstat.jStat.studentt.inv(0.975, count - 1) * error, count }
}
