import type { HistoryRuns } from './history.ts'

/** Start or end of a run; `both` for a run that starts and ends at the same instant. */
export interface Occurrence {
  readonly run: number
  readonly kind: 'end' | 'both' | 'start'
}

const kinds = ['end', 'both', 'start'] as const

/** Yields starts and ends of runs in order of time; at one instant ends, then runs of length 0, then starts. */
export function* occurrences(runs: HistoryRuns): Generator<Occurrence, void> {
  const times = new Float64Array(2 * runs.length)
  for (let run = 0; run < runs.length; run++) {
    const [start, end] = [runs.startOf(run), runs.endOf(run)]
    // Each instant has three keys: for ends, for runs of length 0, and for starts. Infinity stands for no end.
    times[2 * run] = 3 * start + (start === end ? 1 : 2)
    times[2 * run + 1] = start === end ? Infinity : 3 * end
  }
  const order = Uint32Array.from(times.keys()).sort((a, b) => compare(times[a], times[b]) || a - b)
  for (const at of order) {
    if (times[at] === Infinity) return
    yield { run: at >> 1, kind: kinds[times[at] % 3] }
  }
}

/** Compares also two Infinities, for which a difference would be NaN. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
