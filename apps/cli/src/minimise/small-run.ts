import { join } from 'node:path'
import { canonicalSpec, type Run, type RunSpec, type UncheckedSpec } from '@cloister/run'
import { formatSwf, swfFromWorkload } from '@cloister/trace-io'
import { formatIdset } from '@cloister/topology'
import { type Job, makeWorkload } from '@cloister/workload'
import type { OutputFile } from '../export/export-files.ts'
import type { Files } from '../files/files.ts'
import { workloadFlags } from '../run/run-flags.ts'

/** Run with its own files of jobs and outages, so that jobs and outages can be removed. */
export interface SmallRun {
  /** All options of the run, except the sources of jobs and outages. */
  readonly options: UncheckedSpec & Pick<RunSpec, 'topology' | 'policy'>
  readonly jobs: ReadonlyArray<Job>
  /** Lines of the file of outages. */
  readonly outages: ReadonlyArray<string>
}

/** Options that determine the sources of jobs and outages. */
const ofSources: ReadonlyArray<string> = ['trace', ...Object.keys(workloadFlags), 'outages']

/** Converts a run. The jobs are the jobs of the trace after filter and arrivals. */
export function ownRun({ spec, source, applied, outages }: Run): SmallRun {
  const options = Object.fromEntries(Object.entries(spec).filter(([name]) => !ofSources.includes(name)))
  return {
    // The default of `estimates` depends on the arrivals in the trace. The copy fixes the value, because the new trace
    // has different arrivals.
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

/** Numbers the jobs for SWF. Existing numbers stay, because random properties of a job depend on its number. */
function numbered(jobs: ReadonlyArray<Job>): ReadonlyArray<Job> {
  if (jobs.every(({ id }) => /^(0|[1-9]\d{0,11})$/.test(id))) return jobs
  return jobs.map((job, at) => ({ ...job, id: String(at + 1) }))
}

/** Returns the input files of a run, by their names in the run's folder. */
export function filesOf({ jobs, outages }: SmallRun): ReadonlyArray<OutputFile> {
  const inOrder = jobs.toSorted((a, b) => a.submit - b.submit)
  const workload = makeWorkload(inOrder, { name: 'a run at fault', filter: '' })
  return [
    { name: 'trace.swf', pieces: [formatSwf(swfFromWorkload(workload))] },
    ...(outages.length === 0 ? [] : [{ name: 'outages.ndjson', pieces: outages.map((line) => `${line}\n`) }]),
  ]
}

/** Returns the description of the run, with its files in a folder. @throws OptionError */
export function specIn({ options, outages }: SmallRun, folder: string, files: Files['Service']): RunSpec {
  const own = outages.length === 0 ? {} : { outages: join(folder, 'outages.ndjson') }
  return canonicalSpec({ ...options, trace: join(folder, 'trace.swf'), ...own }, files)
}
