import type { Workload } from '@cloister/workload'
import { TraceError } from '../errors.ts'
import { makeColumns, readDirectives } from './swf.ts'
import type { SwfComment, SwfField, SwfTrace } from './swf.ts'

/** What a workload tells of its jobs; of the other fields one column of unknown values is enough. */
const known: ReadonlySet<SwfField> = new Set<SwfField>([
  'job',
  'submit',
  'wait',
  'runTime',
  'allocatedProcs',
  'requestedProcs',
  'requestedTime',
  'status',
])

/**
 * The SWF trace of a workload, for `formatSwf`: nodes stand in the processor fields. With the start times of a schedule (milliseconds by
 * job id) the jobs in it get their wait, their processors as allocated and status 1; without, these are unknown.
 * `comments` are more header lines, such as `Computer: …`.
 *
 * @throws TraceError (file: the workload's name) for an id that is no job number, and for a start before the submit time
 */
export function swfFromWorkload(
  workload: Workload,
  options: { readonly starts?: ReadonlyMap<string, number>; readonly comments?: ReadonlyArray<string> } = {},
): SwfTrace {
  const { jobs } = workload
  const comments = headerComments(workload, options.comments ?? [])
  const unknown = new Float64Array(jobs.length).fill(-1)
  const columns = makeColumns((field) => (known.has(field) ? unknown.slice() : unknown))
  for (const [row, job] of jobs.entries()) {
    const where = { file: workload.name, line: comments.length + row + 1 }
    if (!/^(0|[1-9]\d{0,11})$/.test(job.id))
      throw new TraceError({
        ...where,
        field: 'job',
        found: JSON.stringify(job.id),
        expected: 'a job id that is a whole number, the only ids that SWF has',
      })
    columns.job[row] = Number(job.id)
    columns.submit[row] = job.submit / 1000
    columns.runTime[row] = job.runTime / 1000
    columns.requestedProcs[row] = job.size
    if (job.walltime !== undefined) columns.requestedTime[row] = job.walltime / 1000
    const start = options.starts?.get(job.id)
    if (start === undefined) continue
    if (start < job.submit)
      throw new TraceError({
        ...where,
        field: 'wait',
        found: `a start at ${start} ms`,
        expected: `one not before the submit time, ${job.submit} ms`,
      })
    columns.wait[row] = (start - job.submit) / 1000
    columns.allocatedProcs[row] = job.size
    columns.status[row] = 1
  }
  return {
    file: workload.name,
    comments,
    directives: readDirectives(comments),
    jobs: jobs.length,
    lines: Int32Array.from(jobs, (_, row) => comments.length + row + 1),
    columns,
  }
}

function headerComments(workload: Workload, more: ReadonlyArray<string>): Array<SwfComment> {
  return [
    'Version: 2.2',
    ...more,
    `MaxJobs: ${workload.jobs.length}`,
    `MaxRecords: ${workload.jobs.length}`,
    ...(workload.epoch === undefined ? [] : [`UnixStartTime: ${Math.floor(workload.epoch)}`]),
    `Note: ${workload.name}; processors are nodes`,
    ...(workload.filter === '' ? [] : [`Note: filter ${workload.filter}`]),
  ].map((text, index) => ({ line: index + 1, text: ` ${text}` }))
}
