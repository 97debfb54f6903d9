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

/** A workload and what became of every job of its source: `read` = jobs of the workload + all that were skipped. */
export interface ConvertedWorkload {
  readonly workload: Workload
  /** Canonical spec of the arrivals: `trace`, `zero`, `scale:0.5`. */
  readonly arrivals: string
  /** Jobs in the source, with what is counted as none. */
  readonly read: number
  /** How many jobs were left out, by the term of the filter that they fail first, or `unknown size`, `unknown run time`, `unknown submit time`; and rows that are no jobs of their own. */
  readonly skipped: Readonly<Record<string, number>>
  /** Of the jobs kept: how many do not fill their last node (the size was rounded up). */
  readonly roundedSizes: number
  /** Jobs kept that take only a part of a node, and count as whole nodes. */
  readonly smallerThanNode: SmallerThanNode
  /** Jobs kept whose requested and allocated processors give different sizes in nodes; `taken`: the processors that gave the sizes. */
  readonly differingSizes: { readonly jobs: number; readonly taken: SizeRule['from'] }
  /** Of the jobs kept: how many had a time finer than a millisecond, rounded to the nearest. */
  readonly roundedTimes: number
  /** Of the jobs kept: how many lack the processors that the filter's `size` asks for, so that the other field gave the size. */
  readonly otherSizes: number
  /** Of the jobs kept: how many have no estimate (field 9 is -1 or 0). */
  readonly withoutWalltime: number
  /** Of the jobs kept: how many have a status that SWF does not know; it stays as it is. */
  readonly unknownStatuses: number
  /** Lines of the file that are no jobs; they were passed over. */
  readonly badLines: BadLines
  /** Lines with values behind the 18 of the standard, which are passed over. */
  readonly longLines: number
  /**
   * The processors of a node as the header has them, where no filter says how many; `uneven` where nodes are of several sizes, and a
   * processor was taken for a node.
   */
  readonly nodeProcs?: number | 'uneven'
  /** Of a log of Slurm's accounting: what else it has, and lacks. */
  readonly accounting?: AccountingFacts
  /** The log itself, of each job of the workload its row there, and how its size followed. */
  readonly origin: { readonly trace: SwfTrace; readonly rows: ReadonlyArray<number>; readonly sizeRule: SizeRule }
  /** The source's header. */
  readonly directives: ReadonlyArray<SwfDirective>
}

/** Jobs that are given whole nodes, though they take only a part of each. */
export interface SmallerThanNode {
  readonly jobs: number
  /** Fraction of the node-time of all jobs that they take as whole nodes. */
  readonly nodeTime: number
}

/** How the jobs of a log become a workload. */
export interface ConversionOptions {
  /** Default: keep every job of known size and run time; a node has one processor. */
  readonly filter?: Filter
  /** Default: `trace`. */
  readonly arrivals?: Arrivals
  /** Default: the file's name without folders and `.swf`, `.csv`, `.gz`, `.zst`. */
  readonly name?: string
  /** SHA-256 of the source file. */
  readonly sourceSha256?: string
}

/**
 * Makes a workload of a log: filters, sorts by submit time (ties: the file's order), then sets the arrivals. Time 0 is when the first
 * job kept was submitted. Job ids are the log's job numbers.
 *
 * @throws TraceError where jobs that are kept have no number or the same one
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
    // Of millions of jobs, those that say nothing else take a third less memory so.
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

/** A file's name without its folder and endings: `logs/KTH-SP2.swf.gz` is `KTH-SP2`. */
export function traceName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/(\.swf|\.csv|\.psv|\.ndjson)?(\.gz|\.zst)?$/, '')
}

/** Logs tell for how long jobs communicate, not how. */
function communicationOf({ communication }: SwfTrace, job: number): Pick<Job, 'communication'> {
  const share = communication?.[job] ?? 0
  return share === 0 ? {} : { communication: { pattern: 'unknown', share } }
}

/** SWF numbers users, groups and queues; a group is whom the use of the machine is charged to. */
function labelsOf({ labels, columns }: SwfTrace, job: number): JobLabels {
  if (labels !== undefined) return labels[job]
  const numbers: { user?: string; account?: string; queue?: string } = {}
  if (columns.user[job] >= 0) numbers.user = String(columns.user[job])
  if (columns.group[job] >= 0) numbers.account = String(columns.group[job])
  if (columns.queue[job] >= 0) numbers.queue = String(columns.queue[job])
  return numbers
}

const MINUTE = 60_000

/** Whole minutes keep the order of submission. */
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

/** However they wait, jobs end by the time at which they would end one after the other: a log has to be able to hold it. */
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
  // The first fault in the file is looked for only where there is one.
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

/** Whether they are known, and all different because they ascend. */
function doAscend(numbers: Float64Array, order: ReadonlyArray<number>): boolean {
  let last = -1
  for (const job of order) {
    if (numbers[job] <= last) return false
    last = numbers[job]
  }
  return true
}

/** Unknown submit times (kept only where all jobs arrive at 0) sort first and mark no start. */
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

/** The same number: one that comes from an array of doubles is an object of its own in the job, even where it is a small integer. */
function small(number: number): number {
  return (number | 0) === number ? number | 0 : number
}

function isFinerThanMilliseconds(seconds: number): boolean {
  return milliseconds(seconds) / 1000 !== seconds
}
