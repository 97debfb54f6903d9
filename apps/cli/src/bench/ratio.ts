/** How one figure stands to another over several pairs of runs. */
export interface Ratio {
  readonly median: number
  /** With 95 % the median of all pairs lies from here to there; of fewer than six pairs these are the least and the most. */
  readonly from: number
  readonly to: number
}

/** By order statistics: nothing is assumed of how times are distributed. `numbers` is not empty. */
export function ratioOf(numbers: ReadonlyArray<number>): Ratio {
  const sorted = numbers.toSorted((a, b) => a - b)
  const outside = ranksOutside(sorted.length)
  return { median: middleOf(sorted), from: sorted[outside], to: sorted[sorted.length - 1 - outside] }
}

/** The middle one; of an even number the mean of two. */
export function middleOf(sorted: ReadonlyArray<number>): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** How many of the least, and of the most, can be left out: that the median lies beyond has 2.5 % at the most each. */
function ranksOutside(count: number): number {
  let outside = 0
  let probability = 0.5 ** count
  for (let below = probability; below <= 0.025; below += probability) {
    outside++
    probability *= (count - outside + 1) / outside
  }
  return Math.max(0, outside - 1)
}
