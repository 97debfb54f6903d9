/** Comparison of the waits of a run with the waits of the recorded history. Times are seconds. */
export interface HistoryFit {
  /** Number of jobs that started in the run and have a recorded wait. */
  readonly jobs: number
  readonly recorded: { readonly mean: number; readonly median: number }
  readonly simulated: { readonly mean: number; readonly median: number }
  /** Mean of the absolute differences of the two waits of each job. */
  readonly meanAbsoluteError: number
  /** Share of the jobs whose two waits differ by at most 5 minutes. */
  readonly withinFiveMinutes: number
  /**
   * Spearman's rank correlation of the two waits, from -1 to 1; equal waits share the mean of their ranks. Null if all
   * recorded or all simulated waits are equal.
   */
  readonly rankCorrelation: number | null
}

const FIVE_MINUTES = 300

/**
 * Compares waits, in seconds, job by job. A job with NaN in either list is left out.
 *
 * @returns undefined if no job has both waits
 * @throws RangeError if the lists have different lengths
 */
export function historyFit(recorded: ArrayLike<number>, simulated: ArrayLike<number>): HistoryFit | undefined {
  if (recorded.length !== simulated.length) throw new RangeError('the waits of equally many jobs are needed')
  const rows = Array.from(recorded, (_, job) => job).filter((job) => recorded[job] >= 0 && simulated[job] >= 0)
  if (rows.length === 0) return undefined
  const [a, b] = [Float64Array.from(rows, (job) => recorded[job]), Float64Array.from(rows, (job) => simulated[job])]
  const errors = a.map((wait, at) => Math.abs(wait - b[at]))
  return {
    jobs: rows.length,
    recorded: middle(a),
    simulated: middle(b),
    meanAbsoluteError: mean(errors),
    withinFiveMinutes: errors.filter((error) => error <= FIVE_MINUTES).length / rows.length,
    rankCorrelation: correlation(ranksOf(a), ranksOf(b)),
  }
}

function middle(waits: Float64Array): HistoryFit['recorded'] {
  const sorted = waits.toSorted()
  const half = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  return { mean: mean(waits), median }
}

function mean(numbers: Float64Array): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}

/** Returns the rank of each number, from 0. Equal numbers have the mean of their ranks. */
function ranksOf(numbers: Float64Array): Float64Array {
  const ranks = new Float64Array(numbers.length)
  const order = Uint32Array.from(numbers, (_, at) => at).sort((x, y) => numbers[x] - numbers[y])
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && numbers[order[to]] === numbers[order[from]]) to++
    for (let at = from; at < to; at++) ranks[order[at]] = (from + to - 1) / 2
  }
  return ranks
}

/** Returns Pearson's correlation of two lists; null if all numbers of a list are equal. */
function correlation(a: Float64Array, b: Float64Array): number | null {
  const [meanA, meanB] = [mean(a), mean(b)]
  let [both, ofA, ofB] = [0, 0, 0]
  for (let at = 0; at < a.length; at++) {
    const [fromA, fromB] = [a[at] - meanA, b[at] - meanB]
    both += fromA * fromB
    ofA += fromA * fromA
    ofB += fromB * fromB
  }
  return ofA === 0 || ofB === 0 ? null : both / Math.sqrt(ofA * ofB)
}
