import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { canonicalSpec, prepare, type Run, RunFiles, type RunSpec, Traces, type UncheckedSpec } from '@cloister/run'
import { formatSwf, loadWorkloadFrom, type OpenTrace, swfFromWorkload, type TraceFiles } from '@cloister/trace-io'
import { formatIdset } from '@cloister/topology'
import { type Job, makeWorkload } from '@cloister/workload'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import type { OutputFile } from '../export/export-files.ts'
import type { Files } from '../files/files.ts'
import { runInputs } from '../run/inputs.ts'
import { workloadFlags } from '../run/run-flags.ts'

/** Run whose jobs and outages are lists in memory, so that `cloister minimise` can remove jobs and outages. */
export interface SmallRun {
  /** All options of the run, except the options for the trace and the outages. */
  readonly options: UncheckedSpec & Pick<RunSpec, 'topology' | 'policy'>
  readonly jobs: ReadonlyArray<Job>
  /** Lines of the outage file, as JSON. */
  readonly outages: ReadonlyArray<string>
}

/** Names of the options that determine the jobs and the outages of a run. */
const ofSources: ReadonlyArray<string> = ['trace', ...Object.keys(workloadFlags), 'outages']

/** Converts a prepared run into a `SmallRun`. The jobs are those of the trace after `--filter` and `--arrivals`. */
export function ownRun({ spec, source, applied, outages }: Run): SmallRun {
  const options = Object.fromEntries(Object.entries(spec).filter(([name]) => !ofSources.includes(name)))
  return {
    // The default of `estimates` depends on the option `arrivals`, and the small run has no value for `arrivals`.
    options: { ...options, topology: spec.topology, policy: spec.policy, estimates: applied.estimates },
    jobs: numbered(source.workload.jobs),
    outages: outages.map(({ time, change, resources }) =>
      JSON.stringify({
        t: time / 1000,
        type: change,
        nodes: formatIdset(Array.from(resources.nodes)),
        links: resources.links.map((ids) => formatIdset(Array.from(ids))),
      }),
    ),
  }
}

/** SWF needs numbers as ids. If all ids are numbers, they stay, because random properties of a job depend on its id. */
function numbered(jobs: ReadonlyArray<Job>): ReadonlyArray<Job> {
  if (jobs.every(({ id }) => /^(0|[1-9]\d{0,11})$/.test(id))) return jobs
  return jobs.map((job, at) => ({ ...job, id: String(at + 1) }))
}

/** Returns the files trace.swf and outages.ndjson of a small run. */
export function filesOf({ jobs, outages }: SmallRun): ReadonlyArray<OutputFile> {
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
  }).pipe(Effect.provide(runInputs(undefined)))
}

function openText(file: string, content: string | undefined): OpenTrace | undefined {
  if (content === undefined) return undefined
  const text = Buffer.from(content)
  return { file, text, sha256: createHash('sha256').update(text).digest('hex') }
}
