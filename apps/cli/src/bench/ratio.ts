/** Ratio of the times of two programs, over several pairs of runs. */
export interface Ratio {
  readonly median: number
  /**
   * Lower end of the 95 % confidence interval of the median; `to` is the upper end. For fewer than six pairs, `from`
   * and `to` are the least and the largest ratio.
   */
  readonly from: number
  readonly to: number
}

/**
 * Returns the median of ratios, and the confidence interval of the median by order statistics, without an assumption
 * about the distribution. `numbers` must not be empty.
 */
export function ratioOf(numbers: ReadonlyArray<number>): Ratio {
  const sorted = numbers.toSorted((a, b) => a - b)
  const outside = ranksOutside(sorted.length)
  return { median: middleOf(sorted), from: sorted[outside], to: sorted[sorted.length - 1 - outside] }
}

/** Returns the median of sorted numbers. For an even count, the median is the mean of the two middle numbers. */
export function middleOf(sorted: ReadonlyArray<number>): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Returns how many of the smallest of `count` numbers lie below the confidence interval of the median; as many of the
 * largest numbers lie above. On each side, the true median lies beyond the interval with a probability of at most 2.5
 * %.
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
