import { Effect, Schema } from 'effect'
import { FreshProcess } from './fresh-process.ts'

/** What a process of its own took for a run. */
export interface Timing {
  readonly jobs: number
  /** Time in the kernel divided by jobs: the Jigsaw paper's Table 3. */
  readonly microsecondsPerJob: number
  /** How often the policy gave up a search. */
  readonly searchBounds: number
  /** The whole process, loading included. */
  readonly processSeconds: number
  readonly peakMemoryBytes: number
}

/** What one process tells of its run (`simulate --json`). */
const Report = Schema.fromJsonString(
  Schema.Struct({
    workload: Schema.Struct({ jobs: Schema.Number }),
    microsecondsPerJob: Schema.Number,
    searchBounds: Schema.Number,
    peakMemoryBytes: Schema.Number,
  }),
)

/** Runs `cloister simulate` with these arguments so many times, one process after the other; the median of every figure. */
export const timeSimulate = Effect.fnUntraced(function* (runs: number, args: ReadonlyArray<string>) {
  const timings: Array<Timing> = []
  for (let run = 0; run < runs; run++) timings.push(yield* runOnce(args))
  const middle = (of: (timing: Timing) => number): number => timings.map(of).sort((a, b) => a - b)[runs >> 1]
  const timing: Timing = {
    jobs: timings[0].jobs,
    microsecondsPerJob: middle((each) => each.microsecondsPerJob),
    searchBounds: timings[0].searchBounds,
    processSeconds: middle((each) => each.processSeconds),
    peakMemoryBytes: middle((each) => each.peakMemoryBytes),
  }
  return timing
})

const runOnce = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const began = performance.now()
  const output = yield* (yield* FreshProcess).run(['simulate', ...args, '--json'])
  const processSeconds = (performance.now() - began) / 1000
  const { workload, ...figures } = Schema.decodeUnknownSync(Report)(output)
  return { jobs: workload.jobs, processSeconds, ...figures }
})
