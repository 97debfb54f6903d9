import {
  type Arrivals,
  arrivalTime,
  defaultSize,
  type Filter,
  formatArrivals,
  formatFilter,
  type Job,
  type JobColumns,
  type LogFacts,
  makeWorkload,
  selectJobs,
  type SizeRule,
  type Workload,
} from '@cloister/workload'
import { TraceError } from '../errors.ts'
import type { BadLines } from '../bad-lines.ts'
import type { JobLabels } from '../job-labels.ts'
import type { AccountingFacts } from '../slurm/what-is-lacking.ts'
import { directiveValue, swfMaximum, swfStatuses } from './swf.ts'
import type { SwfDirective, SwfTrace } from './swf.ts'

/**
 * Workload made from a log, and an account of all jobs of the log: `read` = jobs of the workload + the sum of
 * `skipped`.
 */
export interface ConvertedWorkload {
  readonly workload: Workload
  /** Canonical spec of the arrivals: `trace`, `zero`, `scale:0.5`. */
  readonly arrivals: string
  /** Number of jobs in the source, plus rows that are no jobs of their own, such as steps. Bad lines do not count. */
  readonly read: number
  /**
   * Number of jobs left out, by reason: the first term of the filter that excludes a job, or `unknown size`, `unknown
   * run time`, `unknown submit time`. Rows of parts of jobs count by kind, such as `steps`.
   */
  readonly skipped: Readonly<Record<string, number>>
  /** Number of kept jobs with a rounded-up size: their processors do not fill the last node. */
  readonly roundedSizes: number
  /** Kept jobs that use only a part of their nodes; the workload gives them whole nodes. */
  readonly smallerThanNode: SmallerThanNode
  /**
   * Number of kept jobs with different sizes by requested and by allocated processors; `taken` is the choice of the
   * filter.
   */
  readonly differingSizes: { readonly jobs: number; readonly taken: SizeRule['from'] }
  /** Number of kept jobs with a time finer than a millisecond, which was rounded to the nearest millisecond. */
  readonly roundedTimes: number
  /**
   * Number of kept jobs with sizes from the other field, because the processors of the filter's `size` are unknown or
   * 0.
   */
  readonly otherSizes: number
  /** Number of kept jobs without walltime (field 9 is -1 or 0). */
  readonly withoutWalltime: number
  /** Number of kept jobs with a status that SWF does not define; the status stays unchanged. */
  readonly unknownStatuses: number
  /** Bad lines that the reader skipped. */
  readonly badLines: BadLines
  /** Number of lines with values after the 18 of the standard; the reader skipped the values. */
  readonly longLines: number
  /**
   * Processors of a node by the log's header, if the filter gives no size; `uneven` if nodes have several sizes, so
   * that each processor counts as a node. Absent if the filter gives a size, or the header does not state the
   * processors.
   */
  readonly nodeProcs?: number | 'uneven'
  /** Further facts of a log of Slurm's accounting; absent for other logs. */
  readonly accounting?: AccountingFacts
  /** The log, the row of each job of the workload in the log, and the rule for the sizes. */
  readonly origin: { readonly trace: SwfTrace; readonly rows: ReadonlyArray<number>; readonly sizeRule: SizeRule }
  /** Directives of the source's header. */
  readonly directives: ReadonlyArray<SwfDirective>
}

/** Jobs that use only a part of their nodes, although the workload gives them whole nodes. */
export interface SmallerThanNode {
  readonly jobs: number
  /** Node-time of these jobs, on whole nodes, as a fraction of the node-time of all kept jobs. */
  readonly nodeTime: number
}

/** Options for making a workload from a log. */
export interface ConversionOptions {
  /** Filter. Default: keep every job of known size and run time; a node has one processor. */
  readonly filter?: Filter
  /** Arrivals. Default: `trace`. */
  readonly arrivals?: Arrivals
  /** Name of the workload. Default: `traceName` of the file. */
  readonly name?: string
  /** SHA-256 (hex) of the source file. */
  readonly sourceSha256?: string
}

/**
 * Makes a workload from a log: filters the jobs, sorts by submit time, then sets the arrivals. Jobs with equal submit
 * times stay in the order of the file. Time 0 is the submit time of the first kept job. Job ids are the log's ids or
 * numbers.
 *
 * @throws TraceError if kept jobs have no number or equal numbers, or times beyond the limits of an event log
 */
export function workloadFromSwf(trace: SwfTrace, options: ConversionOptions = {}): ConvertedWorkload {
  const filter = options.filter ?? { conditions: [] }
  const arrivals = options.arrivals ?? { kind: 'trace' }
  const { kept, skipped, sizes } = selectJobs(columnsOf(trace), filter, arrivals.kind !== 'zero', factsOf(trace))
  checkJobNumbers(trace, kept)

  const { submit, runTime, requestedTime } = trace.columns
  const start = milliseconds(submit[firstWithTime(submit, kept)] ?? 0)
  const jobs = kept.map((index): Job => {
    const job = {
      id: idOf(trace, index),
      submit: arrivalTime(arrivals, milliseconds(submit[index]) - start),
      size: small(sizes.nodes[index]),
      runTime: milliseconds(runTime[index]),
      walltime: requestedTime[index] > 0 ? milliseconds(requestedTime[index]) : undefined,
    }
    const more = { ...communicationOf(trace, index), ...labelsOf(trace, index) }
    // A job without further values takes a third less memory, which matters for millions of jobs.
    return withTimesOf(filter, Object.keys(more).length === 0 ? job : { ...job, ...more })
  })
  checkTimes(trace, kept, jobs)
  const count = (test: (index: number) => boolean): number => {
    let found = 0
    for (const index of kept) if (test(index)) found++
    return found
  }
  const epoch = arrivals.kind === 'zero' ? undefined : unixTime(trace.directives, start)
  return {
    workload: makeWorkload(jobs, {
      name: options.name ?? traceName(trace.file),
      ...(options.sourceSha256 === undefined ? {} : { sourceSha256: options.sourceSha256 }),
      filter: formatFilter(filter),
      ...(epoch === undefined ? {} : { epoch }),
    }),
    arrivals: formatArrivals(arrivals),
    read: trace.jobs + sum(Object.values(trace.apart ?? {})),
    skipped: { ...trace.apart, ...skipped },
    roundedSizes: count((index) => sizes.rounded[index] === 1),
    differingSizes: { jobs: count((index) => sizes.differing[index] === 1), taken: (filter.size ?? defaultSize).from },
    smallerThanNode: smallerThanNode(jobs, (at) => (trace.onParts?.[kept[at]] ?? sizes.smaller[kept[at]]) === 1),
    roundedTimes: count(
      (index) =>
        isFinerThanMilliseconds(submit[index]) ||
        isFinerThanMilliseconds(runTime[index]) ||
        isFinerThanMilliseconds(requestedTime[index]),
    ),
    otherSizes: count((index) => sizes.other[index] === 1),
    withoutWalltime: count((index) => requestedTime[index] <= 0),
    unknownStatuses: count((index) => !swfStatuses.has(trace.columns.status[index])),
    badLines: trace.badLines ?? { count: 0, first: [] },
    longLines: trace.longLines ?? 0,
    ...(trace.accounting === undefined ? {} : { accounting: trace.accounting }),
    directives: trace.directives,
    origin: { trace, rows: kept, sizeRule: filter.size ?? defaultSize },
  }
}

function smallerThanNode(jobs: ReadonlyArray<Job>, isSmaller: (at: number) => boolean): SmallerThanNode {
  let [found, nodeTime, all] = [0, 0, 0]
  for (const [at, { size, runTime }] of jobs.entries()) {
    all += size * runTime
    if (!isSmaller(at)) continue
    found++
    nodeTime += size * runTime
  }
  return { jobs: found, nodeTime: all === 0 ? 0 : nodeTime / all }
}

function idOf({ ids, columns }: SwfTrace, job: number): string {
  return ids?.[job] ?? String(columns.job[job])
}

function sum(counts: ReadonlyArray<number>): number {
  return counts.reduce((total, each) => total + each, 0)
}

function columnsOf({ columns, gpus }: SwfTrace): JobColumns {
  return {
    ...columns,
    gpus,
    runtime: columns.runTime,
    walltime: columns.requestedTime,
    requested: columns.requestedProcs,
    allocated: columns.allocatedProcs,
  }
}

const labelOf = { user: 'user', group: 'account', queue: 'queue', partition: 'queue' } as const

function factsOf({ directives, labels }: SwfTrace): LogFacts {
  const epoch = unixTime(directives, 0)
  return labels === undefined ? { epoch } : { epoch, nameOf: (field, job) => labels[job][labelOf[field]] }
}

/**
 * Returns the name of a file without folders and without `.swf`, `.csv`, `.psv`, `.ndjson`, `.gz`, `.zst`: `KTH-SP2`
 * for `logs/KTH-SP2.swf.gz`.
 */
export function traceName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/(\.swf|\.csv|\.psv|\.ndjson)?(\.gz|\.zst)?$/, '')
}

/** Returns the communication of a job. The pattern is `unknown`: logs state only the share of the time. */
function communicationOf({ communication }: SwfTrace, job: number): Pick<Job, 'communication'> {
  const share = communication?.[job] ?? 0
  return share === 0 ? {} : { communication: { pattern: 'unknown', share } }
}

/**
 * Returns the labels of a job. SWF has numbers of users, groups and queues; a group is the account that pays for the
 * job.
 */
function labelsOf({ labels, columns }: SwfTrace, job: number): JobLabels {
  if (labels !== undefined) return labels[job]
  const numbers: { user?: string; account?: string; queue?: string } = {}
  if (columns.user[job] >= 0) numbers.user = String(columns.user[job])
  if (columns.group[job] >= 0) numbers.account = String(columns.group[job])
  if (columns.queue[job] >= 0) numbers.queue = String(columns.queue[job])
  return numbers
}

const MINUTE = 60_000

/**
 * Applies the filter's `estimates` and `times` to a job. Rounding to whole minutes keeps the order of the submit times.
 */
function withTimesOf({ estimates = 1, minutes }: Filter, job: Job): Job {
  const walltime = job.walltime === undefined ? undefined : job.walltime * estimates
  if (minutes !== true) return estimates === 1 ? job : { ...job, walltime }
  const { submit, runTime } = job
  return {
    ...job,
    submit: Math.round(submit / MINUTE) * MINUTE,
    runTime: runTime === 0 ? 0 : Math.max(1, Math.round(runTime / MINUTE)) * MINUTE,
    walltime: walltime === undefined ? undefined : Math.ceil(walltime / MINUTE) * MINUTE,
  }
}

/**
 * Checks that an event log can hold all times. The bound is the end of a schedule that runs one job at a time. No
 * schedule ends later.
 */
function checkTimes(trace: SwfTrace, kept: ReadonlyArray<number>, jobs: ReadonlyArray<Job>): void {
  let end = 0
  for (let at = 0; at < jobs.length; at++) {
    const { submit, runTime, walltime = 0 } = jobs[at]
    end = Math.max(end, submit) + Math.max(runTime, walltime)
    if (end <= swfMaximum * 1000) continue
    throw new TraceError({
      file: trace.file,
      line: trace.lines[kept[at]],
      field: submit > swfMaximum * 1000 ? 'submit' : 'runTime',
      found: `a job that may end ${end / 1000} s after the first one arrives`,
      expected: `at most ${swfMaximum} s, all that an event log can hold, for the jobs up to it one after the other`,
    })
  }
}

function checkJobNumbers(trace: SwfTrace, order: ReadonlyArray<number>): void {
  const { ids } = trace
  const { job: numbers } = trace.columns
  if (ids === undefined && doAscend(numbers, order)) return
  const different = new Set<number | string>()
  for (const job of order) if (ids !== undefined || numbers[job] >= 0) different.add(ids?.[job] ?? numbers[job])
  // Only a log with a fault takes the time to find the first fault in the file.
  if (different.size === order.length) return
  const lineOf = new Map<number | string, number>()
  for (const job of order.toSorted((a, b) => a - b)) {
    const number = ids?.[job] ?? numbers[job]
    const where = { file: trace.file, line: trace.lines[job], field: 'job' }
    if (typeof number === 'number' && number < 0)
      throw new TraceError({ ...where, found: '-1 (unknown)', expected: 'the number of the job' })
    const before = lineOf.get(number)
    if (before !== undefined)
      throw new TraceError({
        ...where,
        found: `${number} again, as on line ${before}`,
        expected: 'every job number once',
      })
    lineOf.set(number, trace.lines[job])
  }
}

/** Returns true if the numbers are known and ascend, so that all are different. */
function doAscend(numbers: Float64Array, order: ReadonlyArray<number>): boolean {
  let last = -1
  for (const job of order) {
    if (numbers[job] <= last) return false
    last = numbers[job]
  }
  return true
}

/**
 * Returns the first job with a known submit time; -1 if none. Unknown times sort first; only arrivals `zero` keep them.
 */
function firstWithTime(submit: Float64Array, order: ReadonlyArray<number>): number {
  return order.find((job) => submit[job] >= 0) ?? -1
}

function unixTime(directives: ReadonlyArray<SwfDirective>, start: number): number | undefined {
  const seconds = directiveValue(directives, 'UnixStartTime') ?? ''
  return /^\d{1,12}$/.test(seconds) ? (Number(seconds) * 1000 + start) / 1000 : undefined
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

/**
 * Returns the same number, as a small integer if possible: a number from an array of doubles would be an object of its
 * own in the job.
 */
function small(number: number): number {
  return (number | 0) === number ? number | 0 : number
}

function isFinerThanMilliseconds(seconds: number): boolean {
  return milliseconds(seconds) / 1000 !== seconds
}
