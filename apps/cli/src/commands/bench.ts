import { commandWords } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { Effect, Option, Result } from 'effect'
import { Command, Flag } from 'effect/cli'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { type BenchCase, benchCases } from '../bench/cases.ts'
import { FreshProcess } from '../bench/fresh-process.ts'
import { medianSample, ratiosOf, type Sample, takeSample } from '../bench/timing.ts'
import type { BenchFigures, TimeRatio } from '../results/bench.ts'
import type { ResultOf } from '../results/results.ts'
import { traceDirFlag } from '../run/run-flags.ts'
import { Problem } from '../errors/errors.ts'
import { print, remark } from '../terminal/output.ts'
import { bytes, count, decimal } from '../terminal/quantities.ts'
import { untilSignal } from '../terminal/signals.ts'
import { table } from '../terminal/table.ts'
import { checkAtLeast, integerFlag, jsonFlag, onFlag, type Options, textFlag } from './flags.ts'

const flags = {
  traceDir: traceDirFlag,
  runs: integerFlag(
    'runs',
    'N',
    'Processes for each figure, default: 5\nThe figure is the median of the times of the N processes.',
  ).pipe(Flag.withDefault(5)),
  quick: onFlag('quick', 'Time only a trace of 1,000 jobs, to test the benchmark itself'),
  large: onFlag('large', 'Also time machines of radix 64 and 96, and a million jobs'),
  compare: textFlag(
    'compare',
    'PATH',
    'Compare with another build of Cloister, by pairs of runs\nPATH is the file cloister.js of the other build, or a folder with an installed or built Cloister.',
  ).pipe(Flag.optional),
  json: jsonFlag,
}

export const bench = Command.make('bench', flags, (options) => untilSignal(timePolicies(options))).pipe(
  Command.withDescription(
    'Time scheduling, writing logs and reading logs\nEach figure is the median of --runs runs in fresh processes.',
  ),
)

const timePolicies = Effect.fn(function* (options: Options<typeof flags>) {
  const { traceDir, runs, quick, large, compare, json } = options
  yield* checkAtLeast('runs', runs, 1)
  const disk = yield* Files
  const other = yield* attempt(() => Option.map(compare, (path) => programAt(disk, path)))
  const folder = yield* Effect.acquireRelease(
    attempt(() => disk.makeTemporaryFolder('bench')),
    (created) => Effect.sync(() => disk.removeFolder(created)),
  )
  const inFolder = Option.toArray(traceDir).flatMap((dir) => ['--trace-dir', dir])
  const results: Array<BenchFigures> = []
  const cases = Map.groupBy(benchCases(quick, large), ({ trace }) => trace)
  for (const [trace, ofTrace] of cases) {
    const reason = yield* whyNotLoaded(trace, inFolder)
    if (reason !== undefined) yield* remark(`the benchmark leaves out the trace ${trace}: ${reason}`)
    else
      for (const each of ofTrace)
        results.push(yield* timeCase(each, inFolder, runs, join(folder, 'run.ndjson'), Option.getOrUndefined(other)))
  }
  const report = { node: process.versions.node, processor: cpus()[0]?.model ?? 'unknown', runs, results }
  yield* print('bench', json, report, () => describe(report, Option.getOrUndefined(compare)))
}, Effect.scoped)

/** With `--compare`, this program and the other program take turns in running first. */
const timeCase = Effect.fnUntraced(function* (
  each: BenchCase,
  more: ReadonlyArray<string>,
  runs: number,
  log: string,
  other: string | undefined,
) {
  const args = [...commandWords({ ...each, queue: 'easy:50', arrivals: 'zero' }), ...more]
  const [own, others]: [Array<Sample>, Array<Sample>] = [[], []]
  for (let run = 0; run < runs; run++) {
    if (other !== undefined && run % 2 === 1) others.push(yield* takeSample(args, log, other))
    own.push(yield* takeSample(args, log))
    if (other !== undefined && run % 2 === 0) others.push(yield* takeSample(args, log, other))
  }
  const figures: BenchFigures = {
    ...each,
    ...medianSample(own),
    ...(other !== undefined && { ratios: ratiosOf(own, others) }),
  }
  return figures
})

/** Possible paths of cloister.js inside a folder with an installed or built Cloister. */
const PROGRAMS = [
  'cloister.js',
  'dist/cloister.js',
  'apps/cli/dist/cloister.js',
  'node_modules/cloister/dist/cloister.js',
]

function programAt({ exists }: Pick<typeof Files.Service, 'exists'>, path: string): string {
  const places = path.endsWith('.js') ? [path] : PROGRAMS.map((each) => join(path, each))
  const found = places.find(exists)
  if (found !== undefined) return resolve(found)
  throw new Problem(
    `--compare: found ${JSON.stringify(path)}, expected a file cloister.js, or a folder with an installed or built Cloister`,
  )
}

/** A separate process loads the trace, so that `cloister bench` can handle signals meanwhile. */
const whyNotLoaded = Effect.fnUntraced(function* (trace: string, inFolder: ReadonlyArray<string>) {
  const { run } = yield* FreshProcess
  const loaded = yield* run(['trace', 'info', trace, '--json', ...inFolder]).pipe(Effect.result)
  return Result.isFailure(loaded) ? loaded.failure.reason.replace(/^cloister: /, '') : undefined
})

function describe({ node, processor, runs, results }: ResultOf<'bench'>, other: string | undefined): string {
  const where = `EASY(50), exact estimates, all jobs at time 0; Node ${node}, ${processor}.`
  if (other === undefined) return `${figuresTable(results)}\n\nEach figure is the median of ${runs} processes. ${where}`
  const interval = runs < 6 ? 'the least and the largest ratio' : 'the 95 % confidence interval of the median'
  return `${ratiosTable(results)}\n\nTimes of this program divided by times of ${other}: median of ${runs} pairs, and ${interval}. ${where}`
}

function figuresTable(results: ReadonlyArray<BenchFigures>): string {
  const rows = results.map(({ trace, topology, policy, withoutLog, withLog, reading }) => [
    trace,
    topology,
    policy,
    count(withLog.jobs),
    `${decimal(withoutLog.microsecondsPerJob, 1)} µs`,
    `${decimal(withLog.microsecondsPerJob, 1)} µs`,
    ...[withoutLog.processSeconds, withLog.processSeconds, reading.metrics, reading.audit, reading.seek].map(
      (seconds) => `${decimal(seconds, 2)} s`,
    ),
    bytes(Math.max(withoutLog.peakMemoryBytes, withLog.peakMemoryBytes)),
  ])
  const heading = ['trace', 'topology', 'policy', 'jobs', 'a job', 'with log', 'process', 'with log']
  return table([...heading, 'metrics', 'audit', 'seek', 'memory'], rows)
}

function ratiosTable(results: ReadonlyArray<BenchFigures>): string {
  const rows = results.map(({ trace, topology, policy, ratios }) => [
    trace,
    topology,
    policy,
    ...[ratios!.withoutLog, ratios!.withLog, ratios!.metrics, ratios!.audit, ratios!.seek].map(describeRatio),
  ])
  return table(['trace', 'topology', 'policy', 'a job', 'with log', 'metrics', 'audit', 'seek'], rows)
}

function describeRatio({ median, from, to }: TimeRatio): string {
  return `${decimal(median, 2)} (${decimal(from, 2)} to ${decimal(to, 2)})`
}
