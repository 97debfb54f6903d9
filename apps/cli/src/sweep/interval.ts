import jstat from 'jstat'

/** The mean of a sample, and how far from it the mean of all may be. */
export interface Interval {
  readonly mean: number
  /** Half of the 95 % interval, by Student's distribution; null of a single value, which tells nothing of it. */
  readonly half: number | null
  readonly count: number
}

/** @param values at least one, drawn independently of each other */
export function intervalOf(values: ReadonlyArray<number>): Interval {
  const count = values.length
  const mean = values.reduce((sum, each) => sum + each, 0) / count
  if (count < 2) return { mean, half: null, count }
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  const error = Math.sqrt(squares / (count - 1) / count)
  return { mean, half: jstat.jStat.studentt.inv(0.975, count - 1) * error, count }
}
