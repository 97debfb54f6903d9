import type { Anonymiser, Job, NumberColumn, Workload } from '@cloister/workload'
import { TraceError } from '../errors.ts'
import { ColumnBuilder, unknowns } from './column-builder.ts'
import { makeColumns, readDirectives, type SwfComment, type SwfField, type SwfTrace } from './swf.ts'
import type { ConvertedWorkload } from './workload-from-swf.ts'

/**
 * Returns the SWF trace of a workload, for `formatSwf`. The fields of processors hold numbers of nodes. `starts` has
 * the start times of a schedule, in ms by job id. A job with a start time gets a wait, its size as allocated
 * processors, and status 1. In a job without start time, these three fields are -1. `comments` are further header
 * lines, such as `Computer: …`.
 *
 * @throws TraceError for a job id that is no whole number, and for a start before the job's submit time; the `file` of
 *   the error is the name of the workload
 */
export function swfFromWorkload(workload: Workload, options: FurtherValues = {}): SwfTrace {
  return swfFromJobs(workload.jobs, workload.jobs.length, workload, options)
}

/** Does the work of `swfFromWorkload` for `count` jobs that an iterator gives in turn. */
export function swfFromJobs(
  jobs: Iterable<Job>,
  count: number,
  origin: Origin,
  { starts, comments: more = [] }: FurtherValues = {},
): SwfTrace {
  const comments = headerComments(origin, count, more)
  const columns = makeColumns(() => new ColumnBuilder())
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
    const start = starts?.get(job.id)
    const hasStart = start !== undefined
    if (hasStart && start < job.submit)
      throw new TraceError({
        ...where,
        field: 'wait',
        found: `a start at ${start} ms`,
        expected: `a start at or after the submit time, ${job.submit} ms`,
      })
    columns.job.push(Number(job.id))
    columns.submit.push(job.submit / 1000)
    columns.runTime.push(job.runTime / 1000)
    columns.requestedProcs.push(job.size)
    columns.requestedTime.push(job.walltime === undefined ? -1 : job.walltime / 1000)
    columns.wait.push(hasStart ? (start - job.submit) / 1000 : -1)
    columns.allocatedProcs.push(hasStart ? job.size : -1)
    columns.status.push(hasStart ? 1 : -1)
  }
  const unknown = unknowns(count)
  return {
    file: origin.name,
    comments,
    directives: readDirectives(comments),
    jobs: count,
    lines: new Int32Array(count).map((_, at) => comments.length + at + 1),
    columns: makeColumns((field) => columns[field].column(unknown)),
  }
}

interface FurtherValues {
  readonly starts?: ReadonlyMap<string, number>
  readonly comments?: ReadonlyArray<string>
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

/** Fields that keep the log's values. Memory and processor time are missing: they are per processor, not per node. */
const kept: ReadonlySet<SwfField> = new Set<SwfField>(['status', 'user', 'group', 'executable', 'queue', 'partition'])

/**
 * Returns the SWF trace of a workload with further values of the log that the workload came from: status, user, group,
 * executable, queue, partition, and the allocated processors in nodes. If jobs arrive as in the log (arrivals `trace`),
 * the trace also has the waits of the log.
 *
 * @throws TraceError for a job id that is no whole number
 */
export function swfFromConverted({ workload, arrivals, origin }: ConvertedWorkload): SwfTrace {
  const plain = swfFromWorkload(workload)
  const { procsPerNode, times = 1 } = origin.sizeRule
  const { wait, allocatedProcs } = origin.trace.columns
  const columns = makeColumns((field): NumberColumn => {
    const own = origin.trace.columns[field]
    if (kept.has(field)) return columnOfRows(own, origin.rows)
    if (field === 'wait' && arrivals === 'trace') return columnOfRows(wait, origin.rows)
    if (field !== 'allocatedProcs') return plain.columns[field]
    return Float64Array.from(origin.rows, (row) =>
      allocatedProcs[row] > 0 ? Math.ceil(allocatedProcs[row] / procsPerNode) * times : allocatedProcs[row],
    )
  })
  return { ...plain, columns }
}

function columnOfRows(column: NumberColumn, rows: Uint32Array): Float64Array {
  return Float64Array.from(rows, (row) => column[row])
}

/**
 * Returns a trace with digests instead of the names and numbers of users and accounts and the names of jobs. With the
 * same salt, a name gives the same digest in every file.
 */
export function anonymisedTrace(trace: SwfTrace, anonymiser: Anonymiser): SwfTrace {
  const { columns, labels } = trace
  const numbers = (field: 'user' | 'account', column: NumberColumn): Float64Array =>
    Float64Array.from(column, (number, job) =>
      number < 0 ? number : anonymiser.number(field, labels?.[job][field] ?? String(number)),
    )
  return {
    ...trace,
    columns: { ...columns, user: numbers('user', columns.user), group: numbers('account', columns.group) },
    ...(labels !== undefined && { labels: labels.map((each) => anonymiser.labels(each)) }),
  }
}
