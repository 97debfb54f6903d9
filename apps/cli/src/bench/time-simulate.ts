import { Effect, Schema } from 'effect'
import { FreshProcessError } from '../errors/errors.ts'
import { FreshProcess } from './fresh-process.ts'
import { middleOf } from './ratio.ts'

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

/** One run. @param program another Cloister than this one */
export const timeOnce = Effect.fnUntraced(function* (args: ReadonlyArray<string>, program?: string) {
  const { figures, seconds } = yield* timeProcess(Report, ['simulate', ...args, '--json'], program)
  const { workload, ...others } = figures
  const timing: Timing = { jobs: workload.jobs, processSeconds: seconds, ...others }
  return timing
})

/**
 * One command in a process of its own: the figures that it prints, and how long it takes.
 *
 * @throws FreshProcessError also where it prints something else, as a program that is no Cloister does
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
      const reason = `it printed ${JSON.stringify(output.slice(0, 60))}, expected the figures of a run as JSON`
      return new FreshProcessError({ args, program, reason })
    }),
  )
  return { figures, seconds }
})
