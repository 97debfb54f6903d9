import { Effect, Schema } from 'effect'
import { FreshProcessError } from '../errors/errors.ts'
import type { BenchFigures, TimeRatio, Timing } from '../results/bench.ts'
import { FreshProcess } from './fresh-process.ts'

const Report = Schema.fromJsonString(
  Schema.Struct({
    workload: Schema.Struct({ jobs: Schema.Number }),
    microsecondsPerJob: Schema.Number,
    searchBounds: Schema.Number,
    peakMemoryBytes: Schema.Number,
  }),
)

/**
 * Runs `cloister simulate` `runs` times, one process after another. Returns the median of every figure.
 * @param onProgress called before the first process and after each, with the number of ended processes
 */
export const timeSimulate = Effect.fnUntraced(function* (
  runs: number,
  args: ReadonlyArray<string>,
  onProgress: (ended: number) => void,
) {
  const timings: Array<Timing> = []
  onProgress(0)
  for (let run = 0; run < runs; run++) {
    timings.push(yield* timeOnce(args))
    onProgress(timings.length)
  }
  return medians(timings)
})

/** Returns the median of each figure of several runs. */
function medians<Figures extends { readonly [Name in keyof Figures]: number }>(runs: ReadonlyArray<Figures>): Figures {
  const median = (name: string): number => middleOf(runs.map((run) => run[name as keyof Figures]).sort((a, b) => a - b))
  return Object.fromEntries(Object.keys(runs[0]).map((name) => [name, median(name)])) as Figures
}

/** Runs `cloister simulate` once. @param program path of the cloister.js of another Cloister; default: this program */
const timeOnce = Effect.fnUntraced(function* (args: ReadonlyArray<string>, program?: string) {
  const { figures, seconds } = yield* timeProcess(Report, ['simulate', ...args, '--json'], program)
  const { workload, ...others } = figures
  return { jobs: workload.jobs, processSeconds: seconds, ...others } satisfies Timing
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

/** Times of `cloister simulate` without and with a log, and of the commands that read the log. */
export type Sample = Pick<BenchFigures, 'cold' | 'warm' | 'reading'>

const Makespan = Schema.fromJsonString(Schema.Struct({ makespan: Schema.Number }))
const Anything = Schema.fromJsonString(Schema.Struct({}))
const Warm = Schema.fromJsonString(Schema.Struct({ warmMicrosecondsPerJob: Schema.Number }))
/** Number of rounds in one process. The first round is cold, and does not count. */
const ROUNDS = 3

/**
 * Times `cloister simulate` with `args` in fresh processes, without a log and with the log `log`, and then the commands
 * that read `log`.
 */
export const takeColdSample = Effect.fnUntraced(function* (args: ReadonlyArray<string>, log: string, program?: string) {
  const withoutLog = yield* timeOnce(args, program)
  const withLog = yield* timeOnce([...args, '--out', log, '--force'], program)
  const metrics = yield* timeProcess(Makespan, ['metrics', log, '--json'], program)
  const middle = String(Math.floor(metrics.figures.makespan / 2))
  const audit = yield* timeProcess(Anything, ['audit', log, '--json'], program)
  const seek = yield* timeProcess(Anything, ['state', log, '--at', middle, '--json'], program)
  const reading = { metrics: metrics.seconds, audit: audit.seconds, seek: seek.seconds }
  return { cold: { withoutLog, withLog }, reading } satisfies Sample
})

/**
 * Takes a sample of a program, including the later rounds of simulations that one process repeats. A program from before
 * `simulate --rounds` repeats no simulation, so its sample has no warm times.
 */
export const takeSample = Effect.fnUntraced(function* (args: ReadonlyArray<string>, log: string, program?: string) {
  const sample = yield* takeColdSample(args, log, program)
  const warm = yield* timeWarm(args, log, program).pipe(
    Effect.catchIf(
      ({ reason }) => program !== undefined && reason.includes('--rounds'),
      () => Effect.succeed(undefined),
    ),
  )
  return { ...sample, ...(warm !== undefined && { warm }) } satisfies Sample
})

const timeWarm = Effect.fnUntraced(function* (args: ReadonlyArray<string>, log: string, program?: string) {
  const repeated = ['simulate', ...args, '--rounds', String(ROUNDS), '--json']
  const withoutLog = yield* timeProcess(Warm, repeated, program)
  const withLog = yield* timeProcess(Warm, [...repeated, '--out', log, '--force'], program)
  return { withoutLog: withoutLog.figures.warmMicrosecondsPerJob, withLog: withLog.figures.warmMicrosecondsPerJob }
})

/** Returns a sample of the medians of every figure of several samples. */
export function medianSample(samples: ReadonlyArray<Sample>): Sample {
  const warm = samples.flatMap((each) => each.warm ?? [])
  return {
    cold: {
      withoutLog: medians(samples.map(({ cold }) => cold.withoutLog)),
      withLog: medians(samples.map(({ cold }) => cold.withLog)),
    },
    ...(warm.length > 0 && { warm: medians(warm) }),
    reading: medians(samples.map((each) => each.reading)),
  }
}

type Ratios = NonNullable<BenchFigures['ratios']>

/** Returns the ratios of this program's samples to the other program's samples, pair by pair, for each kind of time. */
export function ratiosOf(own: ReadonlyArray<Sample>, others: ReadonlyArray<Sample>): Ratios {
  const ratio = (of: (sample: Sample) => number): TimeRatio =>
    ratioOf(own.map((each, pair) => of(each) / of(others[pair])))
  return {
    withoutLog: ratio(({ cold }) => cold.withoutLog.microsecondsPerJob),
    withLog: ratio(({ cold }) => cold.withLog.microsecondsPerJob),
    metrics: ratio(({ reading }) => reading.metrics),
    audit: ratio(({ reading }) => reading.audit),
    seek: ratio(({ reading }) => reading.seek),
  }
}

/**
 * Returns the median of ratios, and the confidence interval of the median by order statistics, without an assumption
 * about the distribution. `numbers` must not be empty.
 */
export function ratioOf(numbers: ReadonlyArray<number>): TimeRatio {
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
