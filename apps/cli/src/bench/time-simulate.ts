import { Effect, Schema } from 'effect'
import { FreshProcessError } from '../errors/errors.ts'
import { FreshProcess } from './fresh-process.ts'
import { middleOf } from './ratio.ts'

/** Time and memory of one run of `cloister simulate` in a separate process. */
export interface Timing {
  readonly jobs: number
  /** Time of the simulation divided by the number of jobs, in µs, as in Table 3 of the Jigsaw paper. */
  readonly microsecondsPerJob: number
  /** Number of searches for a placement that the policy gave up at a limit. */
  readonly searchBounds: number
  /** Time of the whole process in seconds, including the loading of the program. */
  readonly processSeconds: number
  readonly peakMemoryBytes: number
}

const Report = Schema.fromJsonString(
  Schema.Struct({
    workload: Schema.Struct({ jobs: Schema.Number }),
    microsecondsPerJob: Schema.Number,
    searchBounds: Schema.Number,
    peakMemoryBytes: Schema.Number,
  }),
)

/** Runs `cloister simulate` `runs` times, one process after another. Returns the median of every figure. */
export const timeSimulate = Effect.fnUntraced(function* (runs: number, args: ReadonlyArray<string>) {
  const timings: Array<Timing> = []
  for (let run = 0; run < runs; run++) timings.push(yield* timeOnce(args))
  return medianTiming(timings)
})

export function medianTiming(timings: ReadonlyArray<Timing>): Timing {
  const middle = (of: (timing: Timing) => number): number => middleOf(timings.map(of).sort((a, b) => a - b))
  return {
    jobs: timings[0].jobs,
    microsecondsPerJob: middle((each) => each.microsecondsPerJob),
    searchBounds: timings[0].searchBounds,
    processSeconds: middle((each) => each.processSeconds),
    peakMemoryBytes: middle((each) => each.peakMemoryBytes),
  }
}

/** Runs `cloister simulate` once. @param program path of the cloister.js of another Cloister; default: this program */
export const timeOnce = Effect.fnUntraced(function* (args: ReadonlyArray<string>, program?: string) {
  const { figures, seconds } = yield* timeProcess(Report, ['simulate', ...args, '--json'], program)
  const { workload, ...others } = figures
  const timing: Timing = { jobs: workload.jobs, processSeconds: seconds, ...others }
  return timing
})

/**
 * Runs one command in a separate process. Returns the printed figures, and the time of the process in seconds.
 * @throws FreshProcessError if the command fails, or prints no figures, for example because `program` is no Cloister
 */
export const timeProcess = Effect.fnUntraced(function* <Figures>(
  figuresOf: Schema.Codec<Figures, string>,
  args: ReadonlyArray<string>,
  program?: string,
) {
  const began = performance.now()
  const output = yield* (yield* FreshProcess).run(args, program)
  const seconds = (performance.now() - began) / 1000
  const figures = yield* Schema.decodeUnknownEffect(figuresOf)(output).pipe(
    Effect.mapError(() => {
      const reason = `found the output ${JSON.stringify(output.slice(0, 60))}, expected the figures of a run as JSON`
      return new FreshProcessError({ args, program, reason })
    }),
  )
  return { figures, seconds }
})
