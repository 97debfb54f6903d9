import {
  type Arrivals,
  arrivalTime,
  defaultSize,
  type Filter,
  formatArrivals,
  formatFilter,
  type Job,
  type JobColumns,
  type Jobs,
  jobsOf,
  type LogFacts,
  makeWorkload,
  type NumberColumn,
  type SelectedJobs,
  selectJobs,
  type SizeRule,
  type Workload,
} from '@cloister/workload'
import { type BadLines, TraceError } from '../errors.ts'
import type { JobLabels } from '../slurm/accounting.ts'
import type { AccountingFacts } from '../slurm/accounting-facts.ts'
import { directiveValue, type SwfDirective, swfMaximum, swfStatuses, type SwfTrace } from './swf.ts'

/** Workload made from a log. `read` is the number of jobs of the workload plus the sum of `skipped`. */
export interface ConvertedWorkload {
  readonly workload: Workload
  /** Canonical spec of the arrivals: `trace`, `zero`, `scale:0.5`. */
  readonly arrivals: string
  /** Number of jobs in the log, plus rows that are parts of another row's job, such as steps; without bad lines. */
  readonly read: number
  /**
   * Number of jobs left out, by reason: the first term of the filter that excludes a job, or `unknown size`, `unknown
   * run time`, `unknown submit time`. Rows of parts of jobs count by kind, such as `steps`.
   */
  readonly skipped: Readonly<Record<string, number>>
  /**
   * Number of selected jobs with a size rounded up to whole nodes, because the processors do not fill the last node.
   */
  readonly roundedSizes: number
  /** Account of the selected jobs that use only a part of their nodes in the log. */
  readonly smallerThanNode: SmallerThanNode
  /**
   * Number of selected jobs with a different size by requested than by allocated processors. `taken` is the kind of
   * processors that gave the sizes, by the filter.
   */
  readonly differingSizes: { readonly jobs: number; readonly taken: SizeRule['from'] }
  /** Number of selected jobs with a time finer than a millisecond, which was rounded to the nearest millisecond. */
  readonly roundedTimes: number
  /**
   * Number of selected jobs with a size by allocated instead of requested processors or the reverse, because the
   * processors that the filter's `size` names are unknown or 0.
   */
  readonly otherSizes: number
  /** Number of selected jobs without walltime (field 9 is -1 or 0). */
  readonly withoutWalltime: number
  /** Number of selected jobs with a status that SWF does not define; the status stays unchanged. */
  readonly unknownStatuses: number
  readonly badLines: BadLines
  /** Number of lines with further values after the 18 fields of SWF, which the reader skipped. */
  readonly longLines: number
  /**
   * Number of processors of a node by the header of the log; `uneven` if nodes have several sizes, in which case each
   * processor counts as a node. Absent if the filter gives a size, or if the header does not state the number.
   */
  readonly nodeProcs?: number | 'uneven'
  /** Sentences on values that a run needs and the log lacks; absent if the reader knows of none. */
  readonly lacks?: ReadonlyArray<string>
  /** Further facts of a log of Slurm's accounting; absent for other logs. */
  readonly accounting?: AccountingFacts
  /** The log, the row of each job of the workload in the log, and the rule for the sizes. */
  readonly origin: { readonly trace: SwfTrace; readonly rows: Uint32Array; readonly sizeRule: SizeRule }
  readonly directives: ReadonlyArray<SwfDirective>
}

/**
 * Account of the jobs that use only a part of their nodes in a log, although the workload gives the jobs whole nodes;
 * `jobs` is their number.
 */
export interface SmallerThanNode {
  readonly jobs: number
  /** Size times run time of the jobs on parts of nodes, as a fraction of all selected jobs' node-time, from 0 to 1. */
  readonly nodeTime: number
}

/** Options for making a workload from a log. */
export interface ConversionOptions {
  /** Filter of the jobs. Default: keep every job with a known size and run time, and count one processor a node. */
  readonly filter?: Filter
  /** Rule for the submit times of the jobs. Default: `trace`, the submit times of the log. */
  readonly arrivals?: Arrivals
  /** Name of the workload. Default: the name of the file without folders and without extensions, by `traceName`. */
  readonly name?: string
  /** SHA-256 (hex) of the source file. */
  readonly sourceSha256?: string
}

/**
 * Makes a workload from a log: filters the jobs, sorts the jobs by submit time, then sets the submit times by the
 * arrivals. Jobs with equal submit times stay in the order of the file. Time 0 is the submit time of the first kept
 * job. The id of a job is its id in the log, or its number.
 *
 * @throws TraceError if selected jobs have no number or equal numbers, or times beyond the limit of an event log, 10^12
 *   s
 */
export function workloadFromSwf(trace: SwfTrace, options: ConversionOptions = {}): ConvertedWorkload {
  const filter = options.filter ?? { conditions: [] }
  const arrivals = options.arrivals ?? { kind: 'trace' }
  const { selected, skipped, sizes } = selectJobs(columnsOf(trace), filter, arrivals.kind !== 'zero', factsOf(trace))
  checkJobNumbers(trace, selected)

  const { submit, runTime, requestedTime } = trace.columns
  // With the arrivals `zero`, a job without a submit time may be selected.
  const first = selected.find((index) => submit[index] >= 0)
  const start = first === undefined ? 0 : milliseconds(submit[first])
  const jobs = jobsOf(selected.length, jobMaker(trace, selected, sizes, filter, arrivals, start))
  const smallerThanNode = checkedParts(trace, selected, jobs)
  const count = (test: (index: number) => boolean): number => {
    let found = 0
    for (const index of selected) if (test(index)) found++
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
    read: Object.values(trace.apart ?? {}).reduce((sum, rows) => sum + rows, trace.jobs),
    skipped: { ...trace.apart, ...skipped },
    roundedSizes: count((index) => sizes.rounded[index] === 1),
    differingSizes: { jobs: count((index) => sizes.differing[index] === 1), taken: (filter.size ?? defaultSize).from },
    smallerThanNode,
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
    ...(trace.lacks === undefined ? {} : { lacks: trace.lacks }),
    ...(trace.accounting === undefined ? {} : { accounting: trace.accounting }),
    directives: trace.directives,
    origin: { trace, rows: selected, sizeRule: filter.size ?? defaultSize },
  }
}

/** Returns a function that makes a job of the workload, by its number, from the columns of the log. */
function jobMaker(
  { columns, ids, communication, labels, onParts }: SwfTrace,
  selected: Uint32Array,
  { nodes, smaller }: SelectedJobs['sizes'],
  filter: Filter,
  arrivals: Arrivals,
  start: number,
): (number: number) => Job {
  const { job: numbers, submit, wait, runTime, requestedTime, user, group, queue } = columns
  const isSmaller = onParts ?? smaller
  // With other arrivals or rounded times, a wait in the log says nothing about a wait in the run.
  const keepsWaits = arrivals.kind === 'trace' && filter.minutes === undefined
  /** For SWF, the labels are the numbers of user, group (as account) and queue. */
  const numbersOf = (row: number): JobLabels => {
    const labelled: { user?: string; account?: string; queue?: string } = {}
    if (user[row] >= 0) labelled.user = String(user[row])
    if (group[row] >= 0) labelled.account = String(group[row])
    if (queue[row] >= 0) labelled.queue = String(queue[row])
    return labelled
  }
  const historyOf = (row: number): Pick<Job, 'recordedStart' | 'recordedWait'> =>
    submit[row] < 0 || wait[row] < 0
      ? {}
      : {
          recordedStart: milliseconds(submit[row]) - start + milliseconds(wait[row]),
          ...(keepsWaits && { recordedWait: milliseconds(wait[row]) }),
        }
  return (number) => {
    const row = selected[number]
    const job = {
      id: ids?.[row] ?? String(numbers[row]),
      submit: arrivalTime(arrivals, milliseconds(submit[row]) - start),
      size: small(nodes[row]),
      runTime: milliseconds(runTime[row]),
      walltime: requestedTime[row] > 0 ? milliseconds(requestedTime[row]) : undefined,
    }
    const share = communication?.[row] ?? 0
    const more = {
      // The pattern is `unknown`, because logs state only the share of communication in the run time.
      ...(share > 0 && { communication: { pattern: 'unknown', share } }),
      ...(isSmaller[row] === 1 && { smallerThanNode: true as const }),
      ...(labels?.[row] ?? numbersOf(row)),
      ...historyOf(row),
    }
    // A job object without fields for labels takes a third less memory, which matters for millions of jobs.
    return withTimesOf(filter, Object.keys(more).length === 0 ? job : { ...job, ...more })
  }
}

/**
 * Returns the account of the jobs on parts of nodes.
 *
 * @throws TraceError if a schedule of one job at a time, the latest schedule of all, ends beyond the log's limit
 */
function checkedParts(trace: SwfTrace, selected: Uint32Array, jobs: Jobs): SmallerThanNode {
  let [found, nodeTime, all, end, at] = [0, 0, 0, 0, 0]
  for (const { submit, size, runTime, walltime = 0, smallerThanNode } of jobs) {
    end = Math.max(end, submit) + Math.max(runTime, walltime)
    if (end > swfMaximum * 1000)
      throw new TraceError({
        ...placeOf(trace, selected[at]),
        field: submit > swfMaximum * 1000 ? 'submit' : 'runTime',
        found: `a job that may end ${end / 1000} s after the first job arrives`,
        expected: `at most ${swfMaximum} s, the limit of an event log, if this job and all earlier jobs run one after the other`,
      })
    at++
    all += size * runTime
    if (smallerThanNode !== true) continue
    found++
    nodeTime += size * runTime
  }
  return { jobs: found, nodeTime: all === 0 ? 0 : nodeTime / all }
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

/** Returns the name of a trace's file without folders and extensions: `KTH-SP2` for `logs/KTH-SP2.swf.gz`. */
export function traceName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/(\.swf|\.csv|\.psv|\.ndjson|\.parquet|\.json)?(\.gz|\.zst)?$/, '')
}

const MINUTE = 60_000

/** Rounding to whole minutes (the filter's `times=minutes`) keeps the order of the submit times. */
function withTimesOf({ estimates = 1, minutes }: Filter, job: Job): Job {
  const walltime = job.walltime === undefined ? undefined : job.walltime * estimates
  if (minutes === undefined) return estimates === 1 ? job : { ...job, walltime }
  const { submit, runTime } = job
  return {
    ...job,
    submit: Math.round((submit + minutes * 1000) / MINUTE) * MINUTE,
    runTime: runTime === 0 ? 0 : Math.max(1, Math.round(runTime / MINUTE)) * MINUTE,
    walltime: walltime === undefined ? undefined : Math.ceil(walltime / MINUTE) * MINUTE,
  }
}

function placeOf({ file, lines, unit = 'line' }: SwfTrace, job: number): Pick<TraceError, 'file' | 'line' | 'unit'> {
  return { file, line: lines[job], unit }
}

function checkJobNumbers(trace: SwfTrace, order: Uint32Array): void {
  const { ids } = trace
  const { job: numbers } = trace.columns
  const different = ids && new Set(Array.from(order, (job) => ids[job])).size
  if (different === undefined ? areDifferent(numbers, order) : different === order.length) return
  // The loop takes time and memory and runs only for a log with a repeated or missing job number.
  const lineOf = new Map<number | string, number>()
  for (const job of order.toSorted()) {
    const number = ids?.[job] ?? numbers[job]
    const where = { ...placeOf(trace, job), field: 'job' }
    if (typeof number === 'number' && number < 0)
      throw new TraceError({ ...where, found: '-1 (unknown)', expected: 'the number of the job' })
    const before = lineOf.get(number)
    if (before !== undefined) {
      const found = `${number} again, as on ${where.unit} ${before}`
      throw new TraceError({ ...where, found, expected: 'every job number once' })
    }
    lineOf.set(number, trace.lines[job])
  }
}

/** Returns true only if all job numbers are known and different. Sorted numbers take less memory than a set. */
function areDifferent(numbers: NumberColumn, order: Uint32Array): boolean {
  if (doAscend(order, numbers)) return true
  const chosen = Float64Array.from(order, (job) => numbers[job]).sort()
  return doAscend(chosen.keys(), chosen)
}

function doAscend(order: Iterable<number>, numbers: NumberColumn): boolean {
  let last = -1
  for (const job of order) {
    if (numbers[job] <= last) return false
    last = numbers[job]
  }
  return true
}

function unixTime(directives: ReadonlyArray<SwfDirective>, start: number): number | undefined {
  const seconds = directiveValue(directives, 'UnixStartTime') ?? ''
  return /^\d{1,12}$/.test(seconds) ? (Number(seconds) * 1000 + start) / 1000 : undefined
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

/** Returns the number as a small integer of V8 if possible: V8 makes an object for each number of a `Float64Array`. */
function small(number: number): number {
  return (number | 0) === number ? number | 0 : number
}

function isFinerThanMilliseconds(seconds: number): boolean {
  return milliseconds(seconds) / 1000 !== seconds
}
