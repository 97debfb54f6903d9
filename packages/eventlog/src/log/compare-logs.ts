import { type FirstTableDifferences, type Instant, type TableDifferences, TablesOfLogs } from './compare-tables.ts'
import { LogState } from './fold.ts'
import { headerTopology } from './header.ts'
import { encodeRecord } from '../records/lines.ts'
import type { Header, LogRecord } from '../records/types.ts'
import { RunTable } from '../run-table/run-table.ts'

/**
 * A job that was submitted in both compared logs. A wait is the time in seconds from the submit to the last start of
 * the job; undefined if the job never starts in the log.
 */
export interface JobDifference {
  readonly job: string
  readonly size: number
  readonly waitA: number | undefined
  readonly waitB: number | undefined
  /** Wait in log b minus wait in log a, in seconds; undefined unless the job starts in both logs. */
  readonly change: number | undefined
}

/**
 * First instant `t` (seconds) at which two logs have different decisions. `a` is the first decision of log a at `t`
 * that log b lacks, and `b` the reverse; undefined if there is no such decision.
 */
export interface Divergence {
  readonly t: number
  readonly a: LogRecord | undefined
  readonly b: LogRecord | undefined
}

/** Result of a comparison of two logs. */
export interface LogComparison {
  readonly headers: readonly [a: Header, b: Header]
  /** Header fields that differ between the logs, such as `policy`; a differing option is named like `options.seed`. */
  readonly headerFields: ReadonlyArray<string>
  /**
   * Closest equality of the two logs. `bytes`: the two logs have the same header and records. `decisions`: the two logs
   * have the same starts, rejections, kills and faults at the same times, and the same allocations. `times`: every job
   * starts and ends at the same times, but allocations or forwarding tables differ. `different`: a job starts or ends
   * at another time, or is in one log only.
   */
  readonly equal: 'bytes' | 'decisions' | 'times' | 'different'
  readonly divergence: Divergence | undefined
  /**
   * Differences of the forwarding tables: at the first instant with a difference (undefined if the tables are always
   * equal), and at the end of the logs. Undefined unless both logs have a router and the same machine.
   */
  readonly tables: { readonly first: FirstTableDifferences | undefined; readonly atEnd: TableDifferences } | undefined
  readonly jobs: {
    readonly both: number
    readonly onlyA: number
    readonly onlyB: number
    /** Number of jobs that both logs submit, but that start only in log a (`startedOnlyA`) or only in log b. */
    readonly startedOnlyA: number
    readonly startedOnlyB: number
    /** Numbers of jobs that start in both logs, with a shorter, equal or longer wait in log b. */
    readonly sooner: number
    readonly same: number
    readonly later: number
  }
  /** Change in wait from log a to log b, in seconds, of jobs that start in both logs; undefined without such jobs. */
  readonly change:
    | { readonly mean: number; readonly median: number; readonly least: number; readonly most: number }
    | undefined
  /**
   * Waits of the jobs with a recorded wait that both logs submit: in the history from which the jobs come, in log a,
   * and in log b. Seconds; NaN if the job does not start. Undefined if no job has a recorded wait.
   */
  readonly history: { readonly recorded: Float64Array; readonly a: Float64Array; readonly b: Float64Array } | undefined
  /** Jobs whose wait shrank most (`winners`) or grew most (`losers`) from log a to log b, at most `top` a list. */
  readonly winners: ReadonlyArray<JobDifference>
  readonly losers: ReadonlyArray<JobDifference>
}

/**
 * Compares two logs of the same jobs, instant by instant and job by job. The order of the records of one instant does
 * not count as a difference of decisions, nor do seqs, seals and reservations. The needed memory grows with the jobs,
 * not with the records.
 *
 * @param top greatest length of `winners`, and of `losers`
 * @throws FoldError if a record of a log cannot follow the earlier records, RangeError if a log has no header
 */
export function compareLogs(a: Iterable<LogRecord>, b: Iterable<LogRecord>, top: number = 10): LogComparison {
  const sides = [new Side(a), new Side(b)] as const
  const headers = [sides[0].header, sides[1].header] as const
  const fields = headerFields(headers)
  let bytes = fields.length === 0
  let divergence: Divergence | undefined
  const tables = tablesOf(headers)
  for (;;) {
    const t = Math.min(sides[0].nextTime, sides[1].nextTime)
    if (t === Infinity) break
    const [recordsA, recordsB] = [sides[0].take(t), sides[1].take(t)]
    if (bytes) bytes = haveSameBytes(recordsA, recordsB)
    if (!bytes) divergence ??= divergenceAt(t, recordsA, recordsB)
    tables?.take(t, { records: recordsA, routes: sides[0].routes }, { records: recordsB, routes: sides[1].routes })
  }
  const sameDecisions = divergence === undefined && tables?.first === undefined
  return {
    headers,
    headerFields: fields,
    divergence,
    tables: tables && { first: tables.first, atEnd: tables.atEnd() },
    history: historyOf(sides[0].table, sides[1].table),
    ...compareJobs(sides, top, bytes, sameDecisions),
  }
}

function tablesOf([a, b]: readonly [Header, Header]): TablesOfLogs | undefined {
  const isOfOneMachine = JSON.stringify(a.topology) === JSON.stringify(b.topology)
  if (a.router === undefined || b.router === undefined || !isOfOneMachine) return undefined
  return new TablesOfLogs(headerTopology(a))
}

class Side {
  readonly header: Header
  readonly table = new RunTable()
  readonly #records: Iterator<LogRecord>
  readonly #state: LogState
  #next: Exclude<LogRecord, Header> | undefined

  constructor(records: Iterable<LogRecord>) {
    this.#records = records[Symbol.iterator]()
    const first = this.#records.next()
    if (first.done === true || first.value.type !== 'header') throw new RangeError('a log begins with its header')
    this.header = first.value
    this.#state = new LogState(this.header)
    this.#advance()
  }

  /** Route records in force after the last taken instant. */
  get routes(): Instant['routes'] {
    return this.#state.routes
  }

  get nextTime(): number {
    return this.#next?.t ?? Infinity
  }

  take(t: number): ReadonlyArray<LogRecord> {
    const records: Array<LogRecord> = []
    for (; this.#next?.t === t; this.#advance()) {
      this.#state.apply(this.#next)
      records.push(this.#next)
      this.table.add(this.#next)
    }
    return records
  }

  #advance(): void {
    const { done, value } = this.#records.next()
    this.#next = done === true ? undefined : (value as Exclude<LogRecord, Header>)
  }
}

function headerFields([a, b]: readonly [Header, Header]): ReadonlyArray<string> {
  const fieldsOf = ({ options, ...header }: Header): ReadonlyMap<string, unknown> =>
    new Map<string, unknown>([
      ...Object.entries(header),
      ...Object.entries(options).map(([name, value]) => [`options.${name}`, value] as const),
    ])
  const [ofA, ofB] = [fieldsOf(a), fieldsOf(b)]
  const names = new Set([...ofA.keys(), ...ofB.keys()])
  return [...names].filter((name) => JSON.stringify(ofA.get(name)) !== JSON.stringify(ofB.get(name)))
}

function haveSameBytes(a: ReadonlyArray<LogRecord>, b: ReadonlyArray<LogRecord>): boolean {
  return a.length === b.length && a.every((record, at) => encodeRecord(record) === encodeRecord(b[at]))
}

function divergenceAt(t: number, a: ReadonlyArray<LogRecord>, b: ReadonlyArray<LogRecord>): Divergence | undefined {
  const [inA, inB] = [a, b].map((records) => new Set(records.map(decisionKey)))
  const isMissing =
    (from: ReadonlySet<string | undefined>) =>
    (record: LogRecord): boolean =>
      decisionKey(record) !== undefined && !from.has(decisionKey(record))
  const [onlyA, onlyB] = [a.find(isMissing(inB)), b.find(isMissing(inA))]
  return onlyA === undefined && onlyB === undefined ? undefined : { t, a: onlyA, b: onlyB }
}

function decisionKey(record: LogRecord): string | undefined {
  switch (record.type) {
    case 'allocate':
      return JSON.stringify([record.type, record.job, record.nodes, record.links, record.ranks, record.bandwidth])
    case 'reject':
      return JSON.stringify([record.type, record.job, record.code, record.constraint])
    case 'kill':
      return JSON.stringify([record.type, record.job, record.code])
    // The text of the message depends on the JavaScript engine.
    case 'fault':
      return JSON.stringify([record.type, record.job, record.purpose, record.code])
    default:
      return undefined
  }
}

function compareJobs(
  [{ table: a }, { table: b }]: readonly [Side, Side],
  top: number,
  bytes: boolean,
  sameDecisions: boolean,
): Pick<LogComparison, 'equal' | 'jobs' | 'change' | 'winners' | 'losers'> {
  const counts = { both: 0, onlyA: 0, onlyB: 0, startedOnlyA: 0, startedOnlyB: 0, sooner: 0, same: 0, later: 0 }
  const changed: Array<JobDifference & { readonly change: number }> = []
  let sameTimes = true
  for (let inA = 0; inA < a.length; inA++) {
    const job = a.idOf(inA)
    const inB = b.numbers.get(job)
    if (inB === undefined) counts.onlyA++
    else {
      counts.both++
      const [startA, startB] = [a.of.start[inA], b.of.start[inB]]
      if (!Object.is(startA, startB) || !Object.is(a.of.end[inA], b.of.end[inB])) sameTimes = false
      const [waitA, waitB] = [waitOf(a, inA), waitOf(b, inB)]
      if (waitA !== undefined && waitB !== undefined) {
        const change = (startB - b.of.submit[inB] - (startA - a.of.submit[inA])) / 1000
        changed.push({ job, size: a.of.size[inA], waitA, waitB, change })
        counts[change < 0 ? 'sooner' : change > 0 ? 'later' : 'same']++
      } else if (waitA !== undefined) counts.startedOnlyA++
      else if (waitB !== undefined) counts.startedOnlyB++
    }
  }
  counts.onlyB = b.length - counts.both
  sameTimes &&= counts.onlyA + counts.onlyB === 0
  changed.sort((one, other) => one.change - other.change)
  return {
    equal: bytes ? 'bytes' : sameDecisions && sameTimes ? 'decisions' : sameTimes ? 'times' : 'different',
    jobs: counts,
    change: summary(changed),
    winners: changed.slice(0, top).filter(({ change }) => change < 0),
    losers: changed
      .slice(Math.max(0, changed.length - top))
      .reverse()
      .filter(({ change }) => change > 0),
  }
}

function historyOf(a: RunTable, b: RunTable): LogComparison['history'] {
  const jobs = [...a.recordedWaits].filter(([job]) => b.numbers.get(a.idOf(job)) !== undefined)
  if (jobs.length === 0) return undefined
  const waits = (table: RunTable): Float64Array =>
    Float64Array.from(jobs, ([job]) => waitOf(table, table.numbers.get(a.idOf(job))!) ?? Number.NaN)
  return { recorded: Float64Array.from(jobs, ([, wait]) => wait / 1000), a: waits(a), b: waits(b) }
}

/** Returns the time from the job's submit to its last start, in seconds; undefined if the job never started. */
function waitOf({ of }: RunTable, job: number): number | undefined {
  return Number.isNaN(of.start[job]) ? undefined : (of.start[job] - of.submit[job]) / 1000
}

/** @param changed jobs, ascending by change */
function summary(changed: ReadonlyArray<{ readonly change: number }>): LogComparison['change'] {
  if (changed.length === 0) return undefined
  const { length } = changed
  const middle = (changed[(length - 1) >> 1].change + changed[length >> 1].change) / 2
  return {
    mean: changed.reduce((sum, { change }) => sum + change, 0) / length,
    median: middle,
    least: changed[0].change,
    most: changed[length - 1].change,
  }
}
