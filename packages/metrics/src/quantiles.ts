/** Quartiles by linear interpolation between order statistics (type 7 of Hyndman and Fan). */
export interface Quartiles {
  readonly min: number
  readonly q1: number
  readonly median: number
  readonly q3: number
  readonly max: number
}

/** Returns the median of ascending numbers (the mean of the middle two for an even count); null for no numbers. */
export function median(ascending: ArrayLike<number>): number | null {
  const n = ascending.length
  if (n === 0) return null
  return (ascending[(n - 1) >> 1] + ascending[n >> 1]) / 2
}

/** Returns the quartiles of a sample with `counts[v]` values `v`, each divided by `scale`; null for an empty sample. */
export function quartilesOfCounts(counts: ArrayLike<number>, scale: number): Quartiles | null {
  let total = 0
  for (let value = 0; value < counts.length; value++) total += counts[value]
  if (total === 0) return null
  const quartile = (quarter: number): number => {
    const position = ((total - 1) * quarter) / 4
    const below = Math.floor(position)
    const low = orderStatistic(counts, below)
    return (low + (position - below) * (orderStatistic(counts, Math.ceil(position)) - low)) / scale
  }
  return { min: quartile(0), q1: quartile(1), median: quartile(2), q3: quartile(3), max: quartile(4) }
}

/** Returns the value at the index `rank`, from 0, of the sorted sample. */
function orderStatistic(counts: ArrayLike<number>, rank: number): number {
  let seen = 0
  let value = -1
  while (seen <= rank) seen += counts[++value]
  return value
}
