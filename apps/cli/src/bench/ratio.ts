/** Ratio of one figure to another figure over several pairs of runs. */
export interface Ratio {
  readonly median: number
  /**
   * Lower end of the 95 % confidence interval of the median; `to` is the upper end. With fewer than six pairs, the
   * extremes.
   */
  readonly from: number
  readonly to: number
}

/**
 * Returns the median and its confidence interval by order statistics, without an assumption about the distribution of
 * times. `numbers` is not empty.
 */
export function ratioOf(numbers: ReadonlyArray<number>): Ratio {
  const sorted = numbers.toSorted((a, b) => a - b)
  const outside = ranksOutside(sorted.length)
  return { median: middleOf(sorted), from: sorted[outside], to: sorted[sorted.length - 1 - outside] }
}

/** Returns the median of sorted numbers. The median of an even count is the mean of the two middle numbers. */
export function middleOf(sorted: ReadonlyArray<number>): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Returns how many of the smallest numbers, and how many of the largest, lie outside of the confidence interval. On
 * each side, the probability of a median beyond the interval is at most 2.5 %.
 */
function ranksOutside(count: number): number {
  let outside = 0
  let probability = 0.5 ** count
  for (let below = probability; below <= 0.025; below += probability) {
    outside++
    probability *= (count - outside + 1) / outside
  }
  return Math.max(0, outside - 1)
}
