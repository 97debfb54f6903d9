import { attempt, commandWords, optionWords, quoteWord } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option, Result, Schema } from 'effect'
import { Command, Flag } from 'effect/cli'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { type BenchGroup, type BenchGroupName, benchGroupNames, benchGroups } from '../bench/cases.ts'
import { appendTo, lineOf, loadOfMachine, seriesOf } from '../bench/speed-series.ts'
import { describeReport } from '../bench/tables.ts'
import { medianSample, ratiosOf, type Sample, takeColdSample, takeSample, timeProcess } from '../bench/timing.ts'
import type { BenchFigures, BenchReport } from '../results/bench.ts'
import type { SpeedLine } from '../results/speed-series.ts'
import { traceDirFlag } from '../run/run-flags.ts'
import { Problem } from '../errors/errors.ts'
import { print, remark } from '../terminal/output.ts'
import { untilSignal } from '../terminal/signals.ts'
import { checkAtLeast, integerFlag, jsonFlag, onFlag, type Options, refuseIf, textFlag } from './flags.ts'

const flags = {
  group: textFlag(
    'group',
    'GROUPS',
    `Groups of cases to time, separated by commas, default: small
small: machines of up to 5,488 nodes. large: machines of radix 64 and 96, and a million jobs. growth: time a node of a job, from radix 16 to 96. policies: all built-in policies. options: conservative backfilling, and run times with contention. all: all groups.`,
  ).pipe(Flag.withDefault('small')),
  traceDir: traceDirFlag,
  runs: integerFlag(
    'runs',
    'N',
    'Processes for each figure, default: 5\nThe figure is the median of the times of the N processes.',
  ).pipe(Flag.withDefault(5)),
  quick: onFlag('quick', 'Time only 100 jobs a case, to test the benchmark itself'),
  compare: textFlag(
    'compare',
    'PATH',
    'Compare with another build of Cloister, by pairs of cold runs\nPATH is the file cloister.js of the other build, or a folder with an installed or built Cloister.',
  ).pipe(Flag.optional),
  program: textFlag(
    'program',
    'PATH',
    'Time another build of Cloister instead of this program\nPATH is as in --compare. The other build needs no command bench.',
  ).pipe(Flag.optional),
  append: textFlag(
    'append',
    'FILE',
    'Append the times to FILE, one case a line, as NDJSON\nA line has the commit, the machine, and the median, least and largest time per job. The site draws such a file. A new FILE is made.',
  ).pipe(Flag.optional),
  commit: textFlag('commit', 'NAME', 'Name of the timed build in --append, such as the hash of a commit').pipe(
    Flag.optional,
  ),
  date: textFlag(
    'date',
    'DATE',
    'Date or time of the commit in --append, default: now\nThe site draws builds in the order of this time: 2026-11-27, or 2026-11-27T18:33:00+01:00.',
  ).pipe(Flag.optional),
  json: jsonFlag,
}

export const bench = Command.make('bench', flags, (options) => untilSignal(timePolicies(options))).pipe(
  Command.withDescription(
    'Time scheduling, writing logs and reading logs\nEach figure is the median of --runs processes. A cold figure is the time in a fresh process, a warm figure the time of later rounds in one process.',
  ),
)

const timePolicies = Effect.fn(function* (options: Options<typeof flags>) {
  const { group, traceDir, runs, quick, compare, json } = options
  yield* checkAtLeast('runs', runs, 1)
  const groups = yield* attempt(() => groupsOf(group))
  const disk = yield* Files
  const other = yield* attempt(() => Option.map(compare, (path) => programAt(disk, 'compare', path)))
  const program = yield* attempt(() => Option.map(options.program, (path) => programAt(disk, 'program', path)))
  yield* refuseIf(
    Option.isSome(compare) && Option.isSome(Option.orElse(program, () => options.append)),
    '--compare: cannot be used with --program or --append, because a comparison has only cold times of both programs',
  )
  const series = yield* seriesOf(options)
  const inFolder = Option.toArray(traceDir).flatMap((dir) => ['--trace-dir', dir])
  const machine = { node: process.versions.node, processor: cpus()[0]?.model ?? 'unknown', runs }
  const load = loadOfMachine()
  const results: Array<BenchFigures> = []
  const lines: Array<SpeedLine> = []
  const sizes = new Map<string, number | undefined>()
  for (const name of groups) {
    const { [quick ? 'quick' : 'cases']: cases }: BenchGroup = benchGroups[name]
    for (const each of cases) {
      const { trace, topology, policy, ...more } = each
      const jobs = [trace, ...optionWords({ filter: each.filter }), ...inFolder]
      if (!sizes.has(jobs.join(' '))) sizes.set(jobs.join(' '), yield* meanSize(jobs))
      const nodesPerJob = sizes.get(jobs.join(' '))
      if (nodesPerJob === undefined) continue
      const words = optionWords(more).map(quoteWord).join(' ')
      const timed = { group: name, trace, topology, policy, options: words, nodesPerJob }
      const args = [...commandWords({ queue: 'easy:50', arrivals: 'zero', ...each }), ...inFolder]
      const { own, others } = yield* timeCase(args, runs, {
        program: Option.getOrUndefined(program),
        other: Option.getOrUndefined(other),
      })
      results.push({ ...timed, ...medianSample(own), ...(others.length > 0 && { ratios: ratiosOf(own, others) }) })
      if (series !== undefined)
        lines.push(lineOf({ ...series.build, ...machine, cores: cpus().length, load }, timed, own))
    }
  }
  if (series !== undefined) yield* appendTo(series, lines)
  const report: BenchReport = { ...machine, results }
  yield* print('bench', json, report, () => describeReport(report, Option.getOrUndefined(compare)))
}, Effect.scoped)

/** With `--compare`, this program and the other program take turns in running first. */
const timeCase = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  runs: number,
  { program, other }: { readonly program: string | undefined; readonly other: string | undefined },
) {
  const [own, others]: [Array<Sample>, Array<Sample>] = [[], []]
  for (let run = 0; run < runs; run++) {
    if (other !== undefined && run % 2 === 1) others.push(yield* withNewLog((log) => takeColdSample(args, log, other)))
    own.push(
      yield* withNewLog((log) => (other === undefined ? takeSample(args, log, program) : takeColdSample(args, log))),
    )
    if (other !== undefined && run % 2 === 0) others.push(yield* withNewLog((log) => takeColdSample(args, log, other)))
  }
  return { own, others }
})

/** Gives a sample a log in a folder of its own, because the index file of an earlier log would shorten the seek. */
const withNewLog = <A, E, R>(take: (log: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Files, (disk) =>
    Effect.acquireUseRelease(
      attempt(() => disk.makeTemporaryFolder('bench')),
      (folder) => take(join(folder, 'run.ndjson')),
      (folder) => Effect.sync(() => disk.removeFolder(folder)),
    ),
  )

function groupsOf(text: string): ReadonlyArray<BenchGroupName> {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => name !== 'all' && !(benchGroupNames as ReadonlyArray<string>).includes(name))
  if (unknown !== undefined)
    throw new Problem(
      `--group: found ${JSON.stringify(unknown)}, expected all, or names of ${benchGroupNames.join(', ')}, separated by commas`,
    )
  return benchGroupNames.filter((name) => names.includes(name) || names.includes('all'))
}

/** Possible paths of cloister.js inside a folder with an installed or built Cloister. */
const PROGRAMS = [
  'cloister.js',
  'dist/cloister.js',
  'apps/cli/dist/cloister.js',
  'node_modules/cloister/dist/cloister.js',
]

function programAt({ exists }: Pick<typeof Files.Service, 'exists'>, option: string, path: string): string {
  const places = path.endsWith('.js') ? [path] : PROGRAMS.map((each) => join(path, each))
  const found = places.find(exists)
  if (found !== undefined) return resolve(found)
  throw new Problem(
    `--${option}: found ${JSON.stringify(path)}, expected a file cloister.js, or a folder with an installed or built Cloister`,
  )
}

const Jobs = Schema.fromJsonString(Schema.Struct({ size: Schema.Struct({ mean: Schema.Number }) }))

/**
 * Returns the mean size of a trace's jobs in nodes. Returns undefined, with a remark, if the trace cannot be loaded. A
 * separate process loads the trace, so that `cloister bench` can handle signals meanwhile.
 *
 * @param jobs arguments of `cloister trace info`
 */
const meanSize = Effect.fnUntraced(function* (jobs: ReadonlyArray<string>) {
  const loaded = yield* timeProcess(Jobs, ['trace', 'info', ...jobs, '--json']).pipe(Effect.result)
  if (Result.isSuccess(loaded)) return loaded.success.figures.size.mean
  const reason = loaded.failure.reason.replace(/^cloister: /, '')
  yield* remark(`the benchmark leaves out the trace ${jobs[0]}: ${reason}`)
  return undefined
})
