import { Effect, Schema } from 'effect'
import { type Timing, medianTiming, timeOnce, timeProcess } from './time-simulate.ts'
import { middleOf, type Ratio, ratioOf } from './ratio.ts'

/** Times of whole processes that read the log, in seconds. */
export interface Reading {
  readonly metrics: number
  readonly audit: number
  /** Time of `state` in the middle of the run. */
  readonly seek: number
}

/** Times of a run without a log, a run with a log, and the commands that read the log. */
export interface Sample {
  readonly withoutLog: Timing
  readonly withLog: Timing
  readonly reading: Reading
}

const Makespan = Schema.fromJsonString(Schema.Struct({ makespan: Schema.Number }))
const Anything = Schema.fromJsonString(Schema.Struct({}))

/**
 * Measures a run without a log, a run with a log, and the commands that read the log.
 *
 * @param program path of another Cloister, instead of this program
 */
export const takeSample = Effect.fnUntraced(function* (args: ReadonlyArray<string>, log: string, program?: string) {
  const withoutLog = yield* timeOnce(args, program)
  const withLog = yield* timeOnce([...args, '--out', log, '--force'], program)
  const metrics = yield* timeProcess(Makespan, ['metrics', log, '--json'], program)
  const middle = String(Math.floor(metrics.figures.makespan / 2))
  const audit = yield* timeProcess(Anything, ['audit', log, '--json'], program)
  const seek = yield* timeProcess(Anything, ['state', log, '--at', middle, '--json'], program)
  const reading: Reading = { metrics: metrics.seconds, audit: audit.seconds, seek: seek.seconds }
  const sample: Sample = { withoutLog, withLog, reading }
  return sample
})

/** Returns the median of every figure. */
export function medianSample(samples: ReadonlyArray<Sample>): Sample {
  const middle = (of: (reading: Reading) => number): number =>
    middleOf(samples.map(({ reading }) => of(reading)).sort((a, b) => a - b))
  return {
    withoutLog: medianTiming(samples.map((each) => each.withoutLog)),
    withLog: medianTiming(samples.map((each) => each.withLog)),
    reading: {
      metrics: middle((each) => each.metrics),
      audit: middle((each) => each.audit),
      seek: middle((each) => each.seek),
    },
  }
}

/** Returns the ratios to the samples of another program, pair by pair: time per job, and times of reading the log. */
export function ratiosOf(own: ReadonlyArray<Sample>, others: ReadonlyArray<Sample>) {
  const ratio = (of: (sample: Sample) => number): Ratio => ratioOf(own.map((each, pair) => of(each) / of(others[pair])))
  return {
    withoutLog: ratio((each) => each.withoutLog.microsecondsPerJob),
    withLog: ratio((each) => each.withLog.microsecondsPerJob),
    metrics: ratio(({ reading }) => reading.metrics),
    audit: ratio(({ reading }) => reading.audit),
    seek: ratio(({ reading }) => reading.seek),
  }
}

export type Ratios = ReturnType<typeof ratiosOf>
