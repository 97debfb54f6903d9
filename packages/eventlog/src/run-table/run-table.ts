import { JobNumbers, plainNumber } from '../log/ids.ts'
import { idsetSize, parseIdset } from '@cloister/topology'
import { headerTopology } from '../log/header.ts'
import { milliseconds } from '../records/kinds.ts'
import type { Allocate, Header, Kill, LogRecord, Submit } from '../records/types.ts'
import { Allocations, type StoredAllocations } from './allocations.ts'
import { type ColumnArrays, Columns, RareColumns } from './columns.ts'
import { type Spread, SpreadOfNodes } from './spread.ts'
import { type Window, type WindowOfLog, windowOfLog } from './window.ts'

/** States of a job. The column `state` has the index of a state in this list. */
export const jobStates = ['waiting', 'running', 'finished', 'failed', 'killed', 'rejected', 'cancelled'] as const
/** State of a job: an entry of `jobStates`. */
export type JobState = (typeof jobStates)[number]

const [WAITING, RUNNING, FINISHED, FAILED, KILLED, REJECTED, CANCELLED] = jobStates.keys()

/** Columns of jobs. Times are integer ms. NaN: the event has not happened, or the value is unknown. */
const jobKinds = {
  /** Number that the job's id spells; -1 for another id, which the table has as a text. */
  id: Int32Array,
  /** Requested nodes. */
  size: Float64Array,
  submit: Float64Array,
  estimate: Float64Array,
  /** Index in `jobStates`. A requeued job waits. */
  state: Uint8Array,
  /** Begin of the job's latest wait. */
  queued: Float64Array,
  /** Sum of the job's waits that ended with a start. */
  waited: Float64Array,
  /** Start of the job's last run. */
  start: Float64Array,
  /** End of the job's last run. */
  end: Float64Array,
  /** Time at which the job ended or left the queue; NaN while the job waits or runs. */
  left: Float64Array,
  /** Sum of the job's run times in the table's window, over the runs that have ended. */
  ran: Float64Array,
  /** Number of moves of the job to other nodes, in all its runs. */
  moves: Int32Array,
}

/** Details of jobs, with the rows of `jobKinds`. A column of texts has indices in the table's texts; 0 is no text. */
const detailKinds = {
  /** Bandwidth that the job requests on each link, in MB/s. */
  bandwidth: Float64Array,
  /** Priority that a foreign scheduler gave the job. */
  priority: Float64Array,
  /** Graphics processors of the job's last start, or else graphics processors that the job requests; 0 if unknown. */
  gpus: Int32Array,
  /** Start of the job's first run. */
  firstStart: Float64Array,
  /** Planned start of the job's first reservation, and of its latest reservation. */
  firstReserved: Float64Array,
  lastReserved: Float64Array,
  /** 0: the job never started. 1: the job's last start was no backfilling. 2: the last start was by backfilling. */
  backfilled: Uint8Array,
  /** Leaves, pods, links of all levels, and mean hops between two nodes, of the allocation of the job's last start. */
  leaves: Int32Array,
  pods: Int32Array,
  links: Int32Array,
  hops: Float64Array,
  /** Note of the policy on the placement of the job's last start. */
  note: Int32Array,
  name: Int32Array,
  user: Int32Array,
  account: Int32Array,
  queue: Int32Array,
  qos: Int32Array,
  advance_reservation: Int32Array,
  /** Ids of the job's array, and of the heterogeneous job with the job as a component. */
  array: Int32Array,
  het_job: Int32Array,
  /** Part of a foreign scheduler that started the job. */
  started_by: Int32Array,
  /** Name of the job's communication pattern. */
  pattern: Int32Array,
}

/** Text in a column of details. */
export type JobLabel = 'note' | 'started_by' | 'pattern' | (typeof submitLabels)[number]
/** Labels of submit records in columns of details. */
const submitLabels = ['name', 'user', 'account', 'queue', 'qos', 'advance_reservation', 'array', 'het_job'] as const

/** Parts of a `RunTable` that only some programs need; the default of each part is false. */
export interface TableParts {
  /** Columns `details`: bandwidth, reservations, backfilling, notes and labels of jobs. */
  readonly details?: boolean
  /** Submit record and last allocate record of each job. */
  readonly records?: boolean
  /** A row for each start of a job, with the nodes of the job. */
  readonly allocations?: boolean
  /** If true, times are the times at which events happened, if a record has that time, instead of the records' times. */
  readonly happened?: boolean
}

/** Plain data of a table, which programs write to a file and read again. */
export interface StoredTable {
  readonly otherIds: ReadonlyMap<number, string>
  readonly jobs: ColumnArrays<typeof jobKinds>
  readonly details: ColumnArrays<typeof detailKinds>
  readonly texts: ReadonlyArray<string>
  readonly allocations: StoredAllocations
  /** Recorded waits by job, in ms. */
  readonly recordedWaits: ReadonlyMap<number, number>
  readonly now: number
}

/** `rate`: in 1/1000 of full rate. `since`: begin of the rate in ms. `made`: progress before `since`, in ms. */
interface Progress {
  rate: number
  since: number
  made: number
}

/**
 * The jobs of a log in columns, one row a job in submit order: states, times, labels and allocations. Call `add` with
 * each record of the log. Columns need a fraction of the time and the memory of objects: a log may have a million jobs.
 *
 * @example
 *
 *     const table = new RunTable()
 *     for (const record of records) table.add(record)
 *     const waits = table.rows().map((job) => table.of.waited[job] / 1000)
 */
export class RunTable {
  readonly numbers = new JobNumbers()
  /** Time of the last record in ms, at most the end of the window. */
  now: number
  /** Window of the table in ms; undefined for a whole run, and before the header. */
  window: WindowOfLog | undefined
  readonly #jobs: Columns<typeof jobKinds>
  readonly #otherIds: Map<number, string>
  readonly #details: RareColumns<typeof detailKinds> | undefined
  readonly #allocations: Allocations | undefined
  readonly #submits: Array<Submit> | undefined
  readonly #allocates: Array<Allocate | undefined> = []
  readonly #happened: boolean
  #spread: SpreadOfNodes | undefined
  readonly #askedWindow: Window | undefined
  /** All different texts of the details, the empty text first. */
  readonly #texts: Array<string>
  readonly #textNumbers: Map<string, number>
  /** Progress of jobs whose rate changed in the last run. */
  readonly #progress = new Map<number, Progress>()
  /** Codes of the kills of jobs whose last run was killed. */
  readonly #killCodes = new Map<number, Kill['code']>()
  /** Wait in the history from which the workload comes, in ms, of each job with such a wait. */
  readonly recordedWaits: Map<number, number>

  /**
   * @param window span of the run, in seconds: later records do not change the table. Without a window, the table has
   *   the whole log, a run or a part of a run
   * @param stored `stored` of a complete table, which takes its header again and no further records
   */
  constructor(parts: TableParts = {}, window?: Window, stored?: StoredTable) {
    this.#askedWindow = window
    this.#happened = parts.happened === true
    this.now = stored?.now ?? 0
    this.#jobs = new Columns(jobKinds, stored?.jobs)
    this.#otherIds = new Map(stored?.otherIds)
    this.recordedWaits = new Map(stored?.recordedWaits)
    for (let job = 0; job < this.length; job++) this.numbers.add(this.idOf(job))
    this.#details = parts.details === true ? new RareColumns(detailKinds, stored?.details) : undefined
    this.#texts = [...(stored?.texts ?? [''])]
    this.#textNumbers = new Map(this.#texts.map((text, number) => [text, number]))
    this.#submits = parts.records === true ? [] : undefined
    this.#allocations = parts.allocations === true ? new Allocations(stored?.allocations) : undefined
  }

  /** Plain data of a table with details and allocations, without copies: later records may change the arrays. */
  get stored(): StoredTable {
    return {
      otherIds: this.#otherIds,
      jobs: this.#jobs.stored,
      details: this.#detailColumns.stored(this.length),
      texts: this.#texts,
      allocations: this.allocations.stored,
      recordedWaits: this.recordedWaits,
      now: this.now,
    }
  }

  get length(): number {
    return this.#jobs.length
  }

  /** The arrays of the columns. An array may be longer than `length`, and adding a job may replace the arrays. */
  get of(): ColumnArrays<typeof jobKinds> {
    return this.#jobs.of
  }

  /** Returns a detail of the job: NaN, or 0 in a column of integers, without a value. @throws Error without details */
  detailOf(name: keyof typeof detailKinds, job: number): number {
    return this.#detailColumns.get(name, job)
  }

  /** The starts of jobs. @throws Error if the table has no allocations */
  get allocations(): Allocations {
    if (this.#allocations === undefined) throw new Error('the table was made without the part `allocations`')
    return this.#allocations
  }

  idOf(job: number): string {
    const number = this.of.id[job]
    return number < 0 ? this.#otherIds.get(job)! : String(number)
  }

  /** Returns the job's submit record. @throws Error if the table has no records */
  submitOf(job: number): Submit {
    if (this.#submits === undefined) throw new Error('the table was made without the part `records`')
    return this.#submits[job]
  }

  /** Returns the allocate record of the job's last run; undefined if the job never started, or without `records`. */
  allocateOf(job: number): Allocate | undefined {
    return this.#allocates[job]
  }

  stateOf(job: number): JobState {
    return jobStates[this.of.state[job]]
  }

  /** Returns the code of the kill of the job's last run; undefined if the last run was not killed. */
  killCodeOf(job: number): Kill['code'] | undefined {
    return this.#killCodes.get(job)
  }

  /** Returns a label or note of the job; empty if the job has none. */
  textOf(label: JobLabel, job: number): string {
    return this.#texts[this.detailOf(label, job)]
  }

  /** Returns the spread of the most compact nodes for the job on the empty machine; undefined before the header. */
  leastSpreadOf(job: number): Spread | undefined {
    return this.#spread?.least(this.of.size[job])
  }

  /** Begin of the table's window in ms; 0 for a whole run. */
  get from(): number {
    return this.window?.from ?? 0
  }

  /** Returns true if the job waited or ran in the window; always true for a whole run. */
  isOfWindow(job: number): boolean {
    return this.of.state[job] <= RUNNING || this.of.left[job] >= this.from
  }

  /** Returns the jobs for which `isOne` is true, by default the jobs of the window. */
  rows(isOne: (job: number) => boolean = (job) => this.isOfWindow(job)): Int32Array {
    const found = new Int32Array(this.length)
    let count = 0
    for (let job = 0; job < this.length; job++) if (isOne(job)) found[count++] = job
    return found.subarray(0, count)
  }

  /** Returns the time of the job's last run in the window until a time, in ms. */
  ranUntil(job: number, t: number): number {
    return Math.max(0, t - Math.max(this.from, this.of.start[job]))
  }

  /** Returns the progress of the job's last run, which has ended: the length of the run at full rate, in ms. */
  progressOf(job: number): number {
    return this.#progressUntil(job, this.of.end[job])
  }

  /**
   * Adds the next record. A second submit of a job, a record of a job without a submit, and a record after the window
   * do nothing.
   *
   * @param job row of the record's job, if the caller knows the row
   */
  add(record: LogRecord, job: number | undefined = this.rowOf(record)): void {
    if (record.type === 'header') return this.#begin(record)
    const t = milliseconds(record.t)
    this.now = this.window === undefined ? t : Math.min(t, this.window.until)
    if (this.now < t) return
    if (record.type === 'submit') return job === undefined ? this.#submit(record) : undefined
    if (job !== undefined && 'job' in record && record.type !== 'route')
      this.#follow(job, record, this.#timeOf(record, t))
  }

  /** Returns the row of the record's job; undefined for a record without a job, and for an unknown job. */
  rowOf(record: LogRecord): number | undefined {
    return 'job' in record && record.job !== undefined ? this.numbers.get(record.job) : undefined
  }

  #begin(header: Header): void {
    this.window = windowOfLog(header, this.#askedWindow)
    if (this.#details !== undefined) this.#spread = new SpreadOfNodes(headerTopology(header))
  }

  get #detailColumns(): RareColumns<typeof detailKinds> {
    if (this.#details === undefined) throw new Error('the table was made without the part `details`')
    return this.#details
  }

  #timeOf({ happened }: { readonly t: number; readonly happened?: number }, t: number): number {
    return this.#happened && happened !== undefined ? milliseconds(happened) : t
  }

  #submit(record: Submit): void {
    const job = this.#jobs.add()
    const { of } = this
    this.numbers.add(record.job)
    const number = plainNumber(record.job)
    of.id[job] = number === Infinity ? -1 : number
    if (number === Infinity) this.#otherIds.set(job, record.job)
    of.size[job] = record.size
    of.submit[job] = of.queued[job] = this.#timeOf(record, milliseconds(record.t))
    of.estimate[job] = record.estimate === undefined ? Number.NaN : milliseconds(record.estimate)
    of.start[job] = of.end[job] = of.left[job] = Number.NaN
    if (record.recorded_wait !== undefined) this.recordedWaits.set(job, milliseconds(record.recorded_wait))
    this.#submits?.push(record)
    if (this.#details !== undefined) this.#describe(this.#details, job, record)
  }

  #describe(details: RareColumns<typeof detailKinds>, job: number, record: Submit): void {
    details.set('bandwidth', job, record.bandwidth)
    details.set('priority', job, record.priority)
    details.set('gpus', job, record.gpus)
    for (const label of submitLabels) details.set(label, job, this.#numberOf(record[label]))
    details.set('pattern', job, this.#numberOf(record.communication?.pattern))
  }

  #follow(job: number, record: Extract<LogRecord, { readonly job: string }>, t: number): void {
    const { of } = this
    switch (record.type) {
      case 'allocate':
        return this.#start(job, record, t)
      case 'progress':
        return void this.#progress.set(job, { rate: record.rate, since: t, made: this.#progressUntil(job, t) })
      case 'finish':
        return this.#end(job, record.status === 'failed' ? FAILED : FINISHED, t)
      case 'kill':
        this.#killCodes.set(job, record.code)
        return this.#end(job, KILLED, t)
      case 'withdraw':
        return this.#withdraw(job, t)
      case 'release':
        return this.#allocations?.release(job, t)
      case 'requeue':
        of.state[job] = WAITING
        of.left[job] = Number.NaN
        of.queued[job] = t
        return
      case 'reject':
        return this.#leaveQueue(job, REJECTED, t)
      case 'cancel':
        // The cancel of a running job is followed by a kill record.
        if (of.state[job] === WAITING) this.#leaveQueue(job, CANCELLED, t)
        return
      case 'reserve': {
        if (this.#details === undefined) return
        const start = milliseconds(record.start)
        this.#details.set('lastReserved', job, start)
        if (Number.isNaN(this.#details.get('firstReserved', job))) this.#details.set('firstReserved', job, start)
      }
    }
  }

  #start(job: number, record: Allocate, t: number): void {
    const { of } = this
    if (record.moved === undefined) {
      of.state[job] = RUNNING
      of.waited[job] += t - of.queued[job]
      of.start[job] = t
      of.end[job] = Number.NaN
      this.#progress.delete(job)
      this.#killCodes.delete(job)
    } else of.moves[job]++
    if (this.#submits !== undefined) this.#allocates[job] = record
    if (this.#allocations === undefined && this.#details === undefined) return
    const nodes = parseIdset(record.nodes)
    this.#allocations?.start(job, nodes, record.backfill !== undefined, t)
    if (this.#details !== undefined) this.#describeStart(this.#details, job, record, nodes, t)
  }

  #describeStart(
    details: RareColumns<typeof detailKinds>,
    job: number,
    record: Allocate,
    nodes: Int32Array,
    t: number,
  ): void {
    if (this.#spread !== undefined) {
      const { leaves, pods, hops } = this.#spread.of(nodes)
      details.set('leaves', job, leaves)
      details.set('pods', job, pods)
      details.set('hops', job, hops)
      details.set(
        'links',
        job,
        (record.links ?? []).reduce((sum, idset) => sum + idsetSize(idset), 0),
      )
    }
    if (Number.isNaN(details.get('firstStart', job))) details.set('firstStart', job, t)
    const note =
      record.note === undefined || typeof record.note === 'string' ? record.note : JSON.stringify(record.note)
    details.set('note', job, this.#numberOf(note))
    if (record.moved === undefined)
      details.set('backfilled', job, record.backfill === undefined && record.started_by !== 'backfill' ? 1 : 2)
    details.set('started_by', job, this.#numberOf(record.started_by))
    if (record.gpus !== undefined) details.set('gpus', job, record.gpus)
  }

  #end(job: number, state: number, t: number): void {
    const { of } = this
    of.state[job] = state
    of.end[job] = of.left[job] = t
    of.ran[job] += this.ranUntil(job, t)
    this.#allocations?.end(job, state)
  }

  /** A withdrawn start ends the run, as a kill does. After a withdrawn kill, the job runs on. */
  #withdraw(job: number, t: number): void {
    const { of } = this
    if (of.state[job] === RUNNING) return this.#end(job, KILLED, t)
    if (of.state[job] !== KILLED) return
    of.ran[job] -= this.ranUntil(job, of.end[job])
    of.state[job] = RUNNING
    of.end[job] = of.left[job] = Number.NaN
    this.#killCodes.delete(job)
    this.#allocations?.end(job, RUNNING)
  }

  #leaveQueue(job: number, state: number, t: number): void {
    this.of.state[job] = state
    this.of.left[job] = t
  }

  #progressUntil(job: number, t: number): number {
    const { rate, since, made } = this.#progress.get(job) ?? { rate: 1000, since: this.of.start[job], made: 0 }
    return made + (rate * Math.max(0, t - since)) / 1000
  }

  #numberOf(text: string | undefined): number | undefined {
    if (text === undefined || text === '') return undefined
    const known = this.#textNumbers.get(text)
    if (known !== undefined) return known
    this.#textNumbers.set(text, this.#texts.length)
    return this.#texts.push(text) - 1
  }
}
