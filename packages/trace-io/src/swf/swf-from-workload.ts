import type { Job, Workload } from '@cloister/workload'
import { TraceError } from '../errors.ts'
import { makeColumns, readDirectives } from './swf.ts'
import type { SwfComment, SwfField, SwfTrace } from './swf.ts'

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
  return swfFromJobs(workload.jobs, workload.jobs.length, workload, options)
}

/** The same of so many jobs that come one after the other. @throws TraceError as `swfFromWorkload` */
export function swfFromJobs(
  jobs: Iterable<Job>,
  count: number,
  origin: Origin,
  options: { readonly starts?: ReadonlyMap<string, number>; readonly comments?: ReadonlyArray<string> } = {},
): SwfTrace {
  const comments = headerComments(origin, count, options.comments ?? [])
  const unknown = new Float64Array(count).fill(-1)
  // Of fields that no job tells one column of unknown values is enough.
  const columns = makeColumns(() => unknown)
  const set = (field: SwfField, row: number, value: number): void => {
    if (columns[field] === unknown) columns[field] = unknown.slice()
    columns[field][row] = value
  }
  let row = -1
  for (const job of jobs) {
    row++
    const where = { file: origin.name, line: comments.length + row + 1 }
    if (!/^(0|[1-9]\d{0,11})$/.test(job.id))
      throw new TraceError({
        ...where,
        field: 'job',
        found: JSON.stringify(job.id),
        expected: 'a job id that is a whole number, the only ids that SWF has',
      })
    set('job', row, Number(job.id))
    set('submit', row, job.submit / 1000)
    set('runTime', row, job.runTime / 1000)
    set('requestedProcs', row, job.size)
    if (job.walltime !== undefined) set('requestedTime', row, job.walltime / 1000)
    const start = options.starts?.get(job.id)
    if (start === undefined) continue
    if (start < job.submit)
      throw new TraceError({
        ...where,
        field: 'wait',
        found: `a start at ${start} ms`,
        expected: `one not before the submit time, ${job.submit} ms`,
      })
    set('wait', row, (start - job.submit) / 1000)
    set('allocatedProcs', row, job.size)
    set('status', row, 1)
  }
  return {
    file: origin.name,
    comments,
    directives: readDirectives(comments),
    jobs: count,
    lines: new Int32Array(count).map((_, at) => comments.length + at + 1),
    columns,
  }
}

/** What a header says of a workload besides its jobs. */
type Origin = Pick<Workload, 'name' | 'filter' | 'epoch'>

function headerComments(workload: Origin, jobs: number, more: ReadonlyArray<string>): Array<SwfComment> {
  return [
    'Version: 2.2',
    ...more,
    `MaxJobs: ${jobs}`,
    `MaxRecords: ${jobs}`,
    ...(workload.epoch === undefined ? [] : [`UnixStartTime: ${Math.floor(workload.epoch)}`]),
    `Note: ${workload.name}; processors are nodes`,
    ...(workload.filter === '' ? [] : [`Note: filter ${workload.filter}`]),
  ].map((text, index) => ({ line: index + 1, text: ` ${text}` }))
}
