import type { Job, Workload } from '@cloister/workload'
import { TraceError } from '../errors.ts'
import { makeColumns, readDirectives } from './swf.ts'
import type { SwfComment, SwfField, SwfTrace } from './swf.ts'

/**
 * Returns the SWF trace of a workload, for `formatSwf`. The fields of processors hold numbers of nodes. `starts` has
 * the start times of a schedule, in ms by job id. A job with a start time gets a wait, its size as allocated
 * processors, and status 1. In a job without start time, these three fields are -1. `comments` are further header
 * lines, such as `Computer: …`.
 *
 * @throws TraceError for a job id that is no whole number, and for a start before the job's submit time; the `file` of
 *   the error is the name of the workload
 */
export function swfFromWorkload(
  workload: Workload,
  options: { readonly starts?: ReadonlyMap<string, number>; readonly comments?: ReadonlyArray<string> } = {},
): SwfTrace {
  return swfFromJobs(workload.jobs, workload.jobs.length, workload, options)
}

/** Does the work of `swfFromWorkload` for `count` jobs that an iterator gives in turn. */
export function swfFromJobs(
  jobs: Iterable<Job>,
  count: number,
  origin: Origin,
  options: { readonly starts?: ReadonlyMap<string, number>; readonly comments?: ReadonlyArray<string> } = {},
): SwfTrace {
  const comments = headerComments(origin, count, options.comments ?? [])
  const unknown = new Float64Array(count).fill(-1)
  // All fields without known values share one column of -1, to save memory.
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
        expected: `a start at or after the submit time, ${job.submit} ms`,
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
