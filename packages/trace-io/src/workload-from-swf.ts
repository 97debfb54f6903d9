import {
  type Arrivals,
  arrivalTime,
  canonicalConditions,
  type Condition,
  defaultSize,
  type Filter,
  type FilterField,
  formatArrivals,
  formatCondition,
  formatFilter,
  integerBetween,
  type Job,
  makeWorkload,
  meets,
  powersOfTwo,
  type Sample,
  type SizeRule,
  uniformIntegers,
  type Workload,
} from '@cloister/workload'
import { TraceError } from './errors.ts'
import { directiveValue } from './swf.ts'
import type { SwfDirective, SwfField, SwfTrace } from './swf.ts'

/** A workload and what became of every job of its source: `read` = jobs of the workload + all that were skipped. */
export interface ConvertedWorkload {
  readonly workload: Workload
  /** Canonical spec of the arrivals: `trace`, `zero`, `scale:0.5`. */
  readonly arrivals: string
  /** Jobs in the source. */
  readonly read: number
  /** How many jobs were left out, by the term of the filter that they fail first, or `unknown size`, `unknown run time`, `unknown submit time`. */
  readonly skipped: Readonly<Record<string, number>>
  /** Of the jobs kept: how many do not fill their last node (the size was rounded up). */
  readonly roundedSizes: number
  /** Of the jobs kept: how many had a time finer than a millisecond, rounded to the nearest. */
  readonly roundedTimes: number
  /** Of the jobs kept: how many lack the processors that the filter's `size` asks for, so that the other field gave the size. */
  readonly otherSizes: number
  /** Of the jobs kept: how many have no estimate (field 9 is -1 or 0). */
  readonly withoutWalltime: number
  /** The source's header. */
  readonly directives: ReadonlyArray<SwfDirective>
}

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
  const sizes = sizesInNodes(trace, filter.size ?? defaultSize)
  const skipped = new Map<string, number>()
  const order = keptJobs(trace, filter, arrivals, sizes.nodes, skipped)
  checkJobNumbers(trace, order)

  const { submit, runTime, requestedTime } = trace.columns
  const start = milliseconds(submit[firstWithTime(submit, order)] ?? 0)
  const counts = { roundedSizes: 0, roundedTimes: 0, otherSizes: 0, withoutWalltime: 0 }
  const jobs = order.map((index): Job => {
    const hasWalltime = requestedTime[index] > 0
    if (sizes.rounded[index] === 1) counts.roundedSizes++
    if (sizes.other[index] === 1) counts.otherSizes++
    if (
      isFinerThanMilliseconds(submit[index]) ||
      isFinerThanMilliseconds(runTime[index]) ||
      isFinerThanMilliseconds(requestedTime[index])
    )
      counts.roundedTimes++
    if (!hasWalltime) counts.withoutWalltime++
    return inUnits(filter, {
      id: String(trace.columns.job[index]),
      submit: arrivalTime(arrivals, milliseconds(submit[index]) - start),
      size: sizes.nodes[index],
      runTime: milliseconds(runTime[index]),
      walltime: hasWalltime ? milliseconds(requestedTime[index]) : undefined,
      ...communicationOf(trace, index),
    })
  })
  const epoch = arrivals.kind === 'zero' ? undefined : unixTime(trace.directives, start)
  return {
    workload: makeWorkload(jobs, {
      name: options.name ?? traceName(trace.file),
      ...(options.sourceSha256 === undefined ? {} : { sourceSha256: options.sourceSha256 }),
      filter: formatFilter(filter),
      ...(epoch === undefined ? {} : { epoch }),
    }),
    arrivals: formatArrivals(arrivals),
    read: trace.jobs,
    skipped: Object.fromEntries(skipped),
    ...counts,
    directives: trace.directives,
  }
}

/** A file's name without its folder and endings: `logs/KTH-SP2.swf.gz` is `KTH-SP2`. */
export function traceName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/(\.swf|\.csv)?(\.gz|\.zst)?$/, '')
}

/** Logs tell for how long jobs communicate, not how. */
function communicationOf({ communication }: SwfTrace, job: number): Pick<Job, 'communication'> {
  const share = communication?.[job] ?? 0
  return share === 0 ? {} : { communication: { pattern: 'unknown', share } }
}

const MINUTE = 60_000

/** Whole minutes keep the order of submission. */
function inUnits({ minutes }: Filter, job: Job): Job {
  if (minutes !== true) return job
  const { submit, runTime, walltime } = job
  return {
    ...job,
    submit: Math.round(submit / MINUTE) * MINUTE,
    runTime: runTime === 0 ? 0 : Math.max(1, Math.round(runTime / MINUTE)) * MINUTE,
    walltime: walltime === undefined ? undefined : Math.ceil(walltime / MINUTE) * MINUTE,
  }
}

interface Sizes {
  /** Size of every job of the trace in nodes; -1 where unknown. */
  readonly nodes: Float64Array
  /** 1 where the processors are no multiple of the processors per node. */
  readonly rounded: Uint8Array
  /** 1 where the other field had to give the size. */
  readonly other: Uint8Array
}

function sizesInNodes(trace: SwfTrace, rule: SizeRule): Sizes {
  const { requestedProcs, allocatedProcs } = trace.columns
  const [first, second] =
    rule.from === 'requested' ? [requestedProcs, allocatedProcs] : [allocatedProcs, requestedProcs]
  const sizes = {
    nodes: new Float64Array(trace.jobs),
    rounded: new Uint8Array(trace.jobs),
    other: new Uint8Array(trace.jobs),
  }
  for (let job = 0; job < trace.jobs; job++) {
    const procs = first[job] > 0 ? first[job] : second[job]
    sizes.nodes[job] = procs > 0 ? Math.ceil(procs / rule.procsPerNode) * (rule.times ?? 1) : -1
    sizes.rounded[job] = procs > 0 && procs % rule.procsPerNode !== 0 ? 1 : 0
    sizes.other[job] = first[job] > 0 ? 0 : 1
  }
  return sizes
}

/** Row numbers of the jobs that the filter keeps, by submit time; counts the others by reason. */
function keptJobs(
  trace: SwfTrace,
  filter: Filter,
  arrivals: Arrivals,
  nodes: Float64Array,
  skipped: Map<string, number>,
): Array<number> {
  const tests: Array<Test> = [
    ...canonicalConditions(filter).map((condition) => ({
      reason: formatCondition(condition),
      condition,
      column: columnOf(trace, condition.field, nodes),
    })),
    ...(filter.powersOfTwo === true
      ? [
          {
            reason: powersOfTwo,
            condition: { operator: '=' as const, value: 1 },
            column: nodes.map((size) => (isPowerOfTwo(size) ? 1 : 0)),
          },
        ]
      : []),
    known('size', nodes),
    known('run time', trace.columns.runTime),
    ...(arrivals.kind === 'zero' && filter.firstDays === undefined ? [] : [known('submit time', trace.columns.submit)]),
  ]
  const counts = new Float64Array(tests.length)
  const kept: Array<number> = []
  for (let job = 0; job < trace.jobs; job++) {
    const failed = tests.findIndex(({ condition, column }) => !meets(condition, column[job]))
    if (failed < 0) kept.push(job)
    else counts[failed]++
  }
  for (const [index, { reason }] of tests.entries()) if (counts[index] > 0) skipped.set(reason, counts[index])

  const { submit } = trace.columns
  kept.sort((a, b) => submit[a] - submit[b] || a - b)
  return sample(
    firstJobs(firstDays(kept, filter.firstDays, submit, skipped), filter.firstJobs, skipped),
    filter.sample,
    skipped,
  )
}

/** What a job has to be to be kept: `column` of it meets `condition`. */
interface Test {
  readonly reason: string
  readonly condition: Pick<Condition, 'operator' | 'value'>
  readonly column: Float64Array
}

function known(what: string, column: Float64Array): Test {
  return { reason: `unknown ${what}`, condition: { operator: '!=', value: -1 }, column }
}

function columnOf(trace: SwfTrace, field: FilterField, nodes: Float64Array): Float64Array {
  if (field === 'nodes') return nodes
  const names: Record<Exclude<FilterField, 'nodes'>, SwfField> = {
    status: 'status',
    runtime: 'runTime',
    walltime: 'requestedTime',
    requested: 'requestedProcs',
    allocated: 'allocatedProcs',
    job: 'job',
    user: 'user',
    group: 'group',
    queue: 'queue',
    partition: 'partition',
  }
  return trace.columns[names[field]]
}

function firstDays(
  order: Array<number>,
  days: number | undefined,
  submit: Float64Array,
  skipped: Map<string, number>,
): Array<number> {
  if (days === undefined || order.length === 0) return order
  const end = milliseconds(submit[order[0]]) + days * 86_400_000
  return cut(
    order,
    order.findIndex((job) => milliseconds(submit[job]) >= end),
    formatFilter({ conditions: [], firstDays: days }),
    skipped,
  )
}

function firstJobs(order: Array<number>, jobs: number | undefined, skipped: Map<string, number>): Array<number> {
  if (jobs === undefined || order.length <= jobs) return order
  return cut(order, jobs, formatFilter({ conditions: [], firstJobs: jobs }), skipped)
}

/** Some of them, each choice of that many equally likely, in their order. */
function sample(order: Array<number>, wanted: Sample | undefined, skipped: Map<string, number>): Array<number> {
  if (wanted === undefined || order.length <= wanted.jobs) return order
  skipped.set(formatFilter({ conditions: [], sample: wanted }), order.length - wanted.jobs)
  const uniform = uniformIntegers(wanted.seed)
  const places = order.map((_, place) => place)
  for (let drawn = 0; drawn < wanted.jobs; drawn++) {
    const other = integerBetween(drawn, places.length - 1, uniform)
    ;[places[drawn], places[other]] = [places[other], places[drawn]]
  }
  return places
    .slice(0, wanted.jobs)
    .sort((a, b) => a - b)
    .map((place) => order[place])
}

function isPowerOfTwo(size: number): boolean {
  return size > 0 && size < 2 ** 31 && (size & (size - 1)) === 0
}

function cut(order: Array<number>, length: number, reason: string, skipped: Map<string, number>): Array<number> {
  if (length < 0) return order
  skipped.set(reason, order.length - length)
  return order.slice(0, length)
}

function checkJobNumbers(trace: SwfTrace, order: ReadonlyArray<number>): void {
  const lineOf = new Map<number, number>()
  for (const job of order.toSorted((a, b) => a - b)) {
    const number = trace.columns.job[job]
    const where = { file: trace.file, line: trace.lines[job], field: 'job' }
    if (number < 0) throw new TraceError({ ...where, found: '-1 (unknown)', expected: 'the number of the job' })
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

function isFinerThanMilliseconds(seconds: number): boolean {
  return milliseconds(seconds) / 1000 !== seconds
}
