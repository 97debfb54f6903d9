import { Effect, Schema } from 'effect'
import { type Timing, medianTiming, timeOnce, timeProcess } from './time-simulate.ts'
import { middleOf, type Ratio, ratioOf } from './ratio.ts'

/** Times in seconds of processes of `cloister metrics`, `audit` and `state` that read the log of a run. */
export interface Reading {
  readonly metrics: number
  readonly audit: number
  /** Time in seconds of `cloister state --at` for the middle of the run. */
  readonly seek: number
}

/** Times of `cloister simulate` without and with a log, and of the commands that read the log. */
export interface Sample {
  readonly withoutLog: Timing
  readonly withLog: Timing
  readonly reading: Reading
}

const Makespan = Schema.fromJsonString(Schema.Struct({ makespan: Schema.Number }))
const Anything = Schema.fromJsonString(Schema.Struct({}))

/**
 * Times `cloister simulate` with `args`, without a log and with the log `log`, and then the commands that read `log`.
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

/** Returns a sample of the medians of every figure of several samples. */
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

/** Returns the ratios of this program's samples to the other program's samples, pair by pair, for each kind of time. */
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
