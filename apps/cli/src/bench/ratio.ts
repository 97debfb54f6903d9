/** Ratio of the times of one program to the times of another program, over several pairs of runs. */
export interface Ratio {
  readonly median: number
  /**
   * Lower end of the 95 % confidence interval of the median (`to`: upper end); with fewer than six pairs, the least
   * ratio (`to`: the largest ratio).
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
 * Returns how many of `count` sorted numbers lie below the confidence interval of the median; as many lie above. From
 * six numbers on, the true median is below the interval with at most 2.5 % probability, and above with the same.
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
