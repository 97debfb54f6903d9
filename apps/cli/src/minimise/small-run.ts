import { join } from 'node:path'
import { canonicalSpec, type Run, type RunSpec, type UncheckedSpec } from '@cloister/run'
import { formatSwf, swfFromWorkload } from '@cloister/trace-io'
import { formatIdset } from '@cloister/topology'
import { type Job, makeWorkload } from '@cloister/workload'
import type { OutputFile } from '../export/export-files.ts'
import type { Files } from '../files/files.ts'

/** A run whose jobs and outages are in files of its own, so that they can become fewer. */
export interface SmallRun {
  /** All of its options but those that say where its jobs and its outages come from. */
  readonly options: UncheckedSpec & Pick<RunSpec, 'topology' | 'policy'>
  readonly jobs: ReadonlyArray<Job>
  /** Lines of the file of outages. */
  readonly outages: ReadonlyArray<string>
}

/** The options that say where jobs and outages come from. */
const ofSources: ReadonlyArray<string> = [
  'trace',
  'filter',
  'procsPerNode',
  'sizes',
  'skipBadLines',
  'arrivals',
  'arrivesWhen',
  'timeZone',
  'outages',
]

/** The same run, its jobs as the trace and the options that choose from it left them. */
export function ownRun({ spec, source, applied, outages }: Run): SmallRun {
  const options = Object.fromEntries(Object.entries(spec).filter(([name]) => !ofSources.includes(name)))
  return {
    // What follows from the arrivals in the trace by default is not to follow from the new ones.
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

/** SWF has numbers for jobs. Those that have some keep them: what is drawn of a job follows from it. */
function numbered(jobs: ReadonlyArray<Job>): ReadonlyArray<Job> {
  if (jobs.every(({ id }) => /^(0|[1-9]\d{0,11})$/.test(id))) return jobs
  return jobs.map((job, at) => ({ ...job, id: String(at + 1) }))
}

/** The files that a run needs, by their names in its folder. */
export function filesOf({ jobs, outages }: SmallRun): ReadonlyArray<OutputFile> {
  const inOrder = jobs.toSorted((a, b) => a.submit - b.submit)
  const workload = makeWorkload(inOrder, { name: 'a run at fault', filter: '' })
  return [
    { name: 'trace.swf', pieces: [formatSwf(swfFromWorkload(workload))] },
    ...(outages.length === 0 ? [] : [{ name: 'outages.ndjson', pieces: outages.map((line) => `${line}\n`) }]),
  ]
}

/** The description of the run, its files being in that folder. @throws OptionError */
export function specIn({ options, outages }: SmallRun, folder: string, files: Files['Service']): RunSpec {
  const own = outages.length === 0 ? {} : { outages: join(folder, 'outages.ndjson') }
  return canonicalSpec({ ...options, trace: join(folder, 'trace.swf'), ...own }, files)
}
