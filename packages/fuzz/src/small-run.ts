import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  attempt,
  canonicalSpec,
  prepare,
  type Run,
  RunFiles,
  type RunOptionName,
  type RunSpec,
  Traces,
  type UncheckedSpec,
} from '@cloister/run'
import { type Files } from '@cloister/run/node'
import { filesOfSpec, formatIdset, parseTopology } from '@cloister/topology'
import { formatSwf, loadWorkloadFrom, type OpenTrace, swfFromWorkload, type TraceFiles } from '@cloister/trace-io'
import { type Job, makeWorkload } from '@cloister/workload'
import { Effect } from 'effect'
import { fewest, type IsWrong, leastNumber, type Shrink } from './search.ts'

/** Run with lists of jobs and outages in memory, from which a search can remove jobs and outages. */
export interface SmallRun {
  /** All options of the run, except the options for the trace and the outages. */
  readonly options: UncheckedSpec & Pick<RunSpec, 'topology' | 'policy'>
  readonly jobs: ReadonlyArray<Job>
  /** Lines of the outage file, as JSON. */
  readonly outages: ReadonlyArray<string>
}

/** Names of the options that determine the jobs and the outages of a run. */
const ofSources: ReadonlyArray<string> = [
  'trace',
  'filter',
  'procsPerNode',
  'sizes',
  'skipBadLines',
  'arrivals',
  'arrivesWhen',
  'timeZone',
  'columns',
  'outages',
] satisfies ReadonlyArray<RunOptionName>

/** Converts a prepared run into a `SmallRun`. The jobs are those of the trace after `--filter` and `--arrivals`. */
export function ownRun({ spec, source, applied, outages }: Run): SmallRun {
  const options = Object.fromEntries(Object.entries(spec).filter(([name]) => !ofSources.includes(name)))
  return {
    // The default of `estimates` depends on the option `arrivals`, and the small run has no value for `arrivals`.
    options: { ...options, topology: spec.topology, policy: spec.policy, estimates: applied.estimates },
    jobs: numbered([...source.workload.jobs]),
    outages: outageLines(outages),
  }
}

/** Returns the lines of a file of outages. */
export function outageLines(outages: Run['outages']): ReadonlyArray<string> {
  return outages.map(({ time, change, resources, rails, cables = resources.links }) =>
    JSON.stringify({
      t: time / 1000,
      type: change,
      nodes: formatIdset(Array.from(resources.nodes)),
      links: cables.map((ids) => formatIdset(Array.from(ids))),
      ...(rails !== undefined && { rails: formatIdset(Array.from(rails)) }),
    }),
  )
}

/** SWF needs numbers as ids. If all ids are numbers, they stay, because random properties of a job depend on its id. */
function numbered(jobs: ReadonlyArray<Job>): ReadonlyArray<Job> {
  if (jobs.every(({ id }) => /^(0|[1-9]\d{0,11})$/.test(id))) return jobs
  return jobs.map((job, at) => ({ ...job, id: String(at + 1) }))
}

/** Input file of a small run, as pieces of text. */
export interface RunFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

/** Returns the files trace.swf and outages.ndjson of a small run. */
export function filesOf({ jobs, outages }: SmallRun): ReadonlyArray<RunFile> {
  const inOrder = jobs.toSorted((a, b) => a.submit - b.submit)
  const workload = makeWorkload(inOrder, { name: 'a run at fault', filter: '' })
  return [
    { name: 'trace.swf', pieces: [formatSwf(swfFromWorkload(workload))] },
    ...(outages.length === 0 ? [] : [{ name: 'outages.ndjson', pieces: outages.map((line) => `${line}\n`) }]),
  ]
}

/** Returns the description of a small run whose files are in a folder. @throws OptionError */
export function specIn({ options, outages }: SmallRun, folder: string, files: Files['Service']): RunSpec {
  const own = outages.length === 0 ? {} : { outages: join(folder, 'outages.ndjson') }
  return canonicalSpec({ ...options, trace: join(folder, 'trace.swf'), ...own }, files)
}

/**
 * Prepares a run whose files would be in a folder. The files stay in memory: a signal ends the search at once, even
 * during a long run, and nothing is left to remove.
 */
export function prepareSmall(run: SmallRun, folder: string, disk: Files['Service']) {
  return Effect.gen(function* () {
    const texts = new Map(filesOf(run).map(({ name, pieces }) => [join(folder, name), [...pieces].join('')]))
    const spec = yield* attempt(() => specIn(run, folder, disk))
    const files = yield* RunFiles
    const traces: TraceFiles = {
      open: (path) => openText(path, texts.get(path)),
      find: ({ file }) => {
        throw new Error(`a run at fault has its own trace, not ${file}`)
      },
    }
    return yield* prepare(spec).pipe(
      Effect.provideService(RunFiles, { ...files, readText: (path) => texts.get(path) ?? files.readText(path) }),
      Effect.provideService(Traces, { load: (trace) => attempt(() => loadWorkloadFrom(traces, trace)) }),
    )
  })
}

function openText(file: string, content: string | undefined): OpenTrace | undefined {
  if (content === undefined) return undefined
  const text = Buffer.from(content)
  return { file, text, sha256: createHash('sha256').update(text).digest('hex') }
}

/** Functions that shrink a faulty run. Cheap functions with a large effect come first. */
export const shrinks: ReadonlyArray<Shrink<SmallRun>> = [
  fewerOptions,
  fewerJobs,
  fewerOutages,
  smallerMachine,
  smallerJobs,
  countedJobs,
]

async function fewerOptions(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  let smallest = run
  for (const [name, value] of Object.entries(run.options)) {
    const simple = simplest[name as RunOptionName]
    if (name === 'topology' || name === 'policy' || JSON.stringify(value) === JSON.stringify(simple)) continue
    const options = { ...smallest.options, [name]: simple }
    smallest = await tried(smallest, { ...smallest, options }, isWrong)
  }
  return smallest
}

/** Values of options that make a run simpler than the option's default does. */
const simplest: { readonly [Name in RunOptionName]?: unknown } = { queue: 'fcfs', estimates: 'exact' }

async function fewerJobs(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const jobs = await fewest(run.jobs, async (some) => some.length > 0 && (await isWrong({ ...run, jobs: some })))
  return jobs.length < run.jobs.length ? { ...run, jobs } : run
}

async function fewerOutages(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const outages = await fewest(run.outages, (some) => isWrong({ ...run, outages: some }))
  return outages.length < run.outages.length ? { ...run, outages } : run
}

const machines = [
  'pgft:1;2;1;1',
  'pgft:1;4;1;1',
  'pgft:1;8;1;1',
  'pgft:2;4,4;1,4;1,1',
  ...[4, 6, 8, 10, 12, 14, 16, 18, 22, 28].map((radix) => `radix:${radix}`),
]
  .map((name) => ({ name, nodes: parseTopology(name).nodes }))
  .sort((a, b) => a.nodes - b.nodes)

async function smallerMachine(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const now = nodesOf(run)
  for (const { name, nodes } of machines.filter((each) => each.nodes < now)) {
    const options = { ...run.options, topology: name }
    const scaled = run.jobs.map((job) => ({ ...job, size: Math.max(1, Math.round((job.size * nodes) / now)) }))
    for (const jobs of [run.jobs, scaled])
      if (await isWrong({ ...run, options, jobs })) return { ...run, options, jobs }
  }
  return run
}

/** Infinity for a machine from a file, so that every machine of `machines` is smaller. */
function nodesOf({ options }: SmallRun): number {
  return filesOfSpec(options.topology).length > 0 ? Infinity : parseTopology(options.topology).nodes
}

async function smallerJobs(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  let smallest = run
  const withJob = (at: number, change: Partial<Job>): SmallRun => ({
    ...smallest,
    jobs: smallest.jobs.map((job, each) => (each === at ? { ...job, ...change } : job)),
  })
  const least = async (at: number, from: number, lowest: number, changed: (value: number) => Partial<Job>) => {
    const value = await leastNumber(from, lowest, (each) => isWrong(withJob(at, changed(each))))
    if (value < from) smallest = withJob(at, changed(value))
  }
  const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)
  for (const at of run.jobs.keys()) {
    const { size, submit, runTime, walltime } = run.jobs[at]
    await least(at, size, 1, (value) => ({ size: value }))
    await least(at, seconds(submit), 0, (value) => ({ submit: value * 1000 }))
    await least(at, seconds(runTime), 0, (value) => ({ runTime: value * 1000 }))
    if (walltime === undefined) continue
    smallest = await tried(smallest, withJob(at, { walltime: undefined }), isWrong)
    if (smallest.jobs[at].walltime !== undefined)
      await least(at, seconds(walltime), 1, (value) => ({ walltime: value * 1000 }))
  }
  return smallest
}

async function countedJobs(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const jobs = run.jobs.map((job, at) => ({ ...job, id: String(at + 1) }))
  return run.jobs.every(({ id }, at) => id === jobs[at].id) ? run : tried(run, { ...run, jobs }, isWrong)
}

async function tried(before: SmallRun, after: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  return (await isWrong(after)) ? after : before
}
