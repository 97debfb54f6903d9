import type { HistoryRuns } from './history.ts'

/** The start or the end of a run, or both at one instant. */
export interface Occurrence {
  readonly run: number
  readonly kind: 'end' | 'both' | 'start'
}

const kinds = ['end', 'both', 'start'] as const

/** Yields starts and ends of runs in order of time; at an instant ends first, then runs of no length, then starts. */
export function* occurrences(runs: HistoryRuns): Generator<Occurrence, void> {
  const times = new Float64Array(2 * runs.length)
  for (let run = 0; run < runs.length; run++) {
    const [start, end] = [runs.startOf(run), runs.endOf(run)]
    // Each instant has three places. A run without an end has no end here either.
    times[2 * run] = 3 * start + (start === end ? 1 : 2)
    times[2 * run + 1] = start === end ? Infinity : 3 * end
  }
  const order = Uint32Array.from(times.keys()).sort((a, b) => compare(times[a], times[b]) || a - b)
  for (const at of order) {
    if (times[at] === Infinity) return
    yield { run: at >> 1, kind: kinds[times[at] % 3] }
  }
}

/** Compares two numbers. A difference would be NaN for two Infinities. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
