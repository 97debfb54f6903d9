import { join } from 'node:path'
import { canonicalSpec, type Run, type RunSpec, type UncheckedSpec } from '@cloister/run'
import { formatSwf, swfFromWorkload } from '@cloister/trace-io'
import { formatIdset } from '@cloister/topology'
import { type Job, makeWorkload } from '@cloister/workload'
import type { OutputFile } from '../export/export-files.ts'
import type { Files } from '../files/files.ts'
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
    // The default of `estimates` depends on the arrivals. The small run sets the value, because its trace has other
    // arrivals.
    options: { ...options, topology: spec.topology, policy: spec.policy, estimates: applied.estimates },
    jobs: numbered(source.workload.jobs),
    outages: outages.map(({ time, change, parts }) =>
      JSON.stringify({
        t: time / 1000,
        type: change,
        nodes: formatIdset(Array.from(parts.nodes)),
        links: parts.links.map((ids) => formatIdset(Array.from(ids))),
      }),
    ),
  }
}

/** Renames jobs to numbers for SWF. Ids that are numbers stay, because random properties of a job depend on the id. */
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
