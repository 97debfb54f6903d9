import {
  type Allocate,
  JobNumbers,
  type LogRecord,
  milliseconds,
  type Submit,
  secondsBetween,
} from '@cloister/eventlog'
import { type ColumnArrays, Columns } from './columns.ts'
import { isJobNumber, type JobField, type JobNumber, type JobText } from './job-fields.ts'
import { type Window, type WindowOfLog, windowOfLog } from './window.ts'

/** Lower bound of the run time in the bounded slowdown, in seconds. */
const SLOWDOWN_BOUND = 10

const states = ['waiting', 'running', 'finished', 'failed', 'killed', 'rejected', 'cancelled'] as const
const [WAITING, RUNNING, FINISHED, FAILED, KILLED, REJECTED, CANCELLED] = states.keys()

/** Texts of the column `backfilled`, which tells if a job's last start was by backfilling; empty without a start. */
const backfills = ['', 'no', 'yes'] as const

/**
 * Columns of jobs. NaN stands for an event that has not happened, or an unknown value. A column of texts has indices in
 * `#texts`.
 */
const kinds = {
  size: Float64Array,
  submit: Float64Array,
  estimate: Float64Array,
  bandwidth: Float64Array,
  state: Uint8Array,
  backfilled: Uint8Array,
  /** Begin of the job's latest wait, in seconds. */
  queued: Float64Array,
  waited: Float64Array,
  firstStart: Float64Array,
  start: Float64Array,
  end: Float64Array,
  firstReserved: Float64Array,
  lastReserved: Float64Array,
  note: Int32Array,
  name: Int32Array,
  user: Int32Array,
  account: Int32Array,
  queue: Int32Array,
  pattern: Int32Array,
}

/** Plain data of the columns, which programs write to a file and read again. */
export interface StoredJobColumns {
  readonly rows: ColumnArrays<typeof kinds>
  readonly jobs: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
  readonly now: number
  /** Rows of jobs that ended or left the queue before the window. */
  readonly gone: ReadonlyArray<number>
}

/** All jobs of a log with their figures. The row of a job is the job's number in submit order, from 0. */
export class JobColumns {
  readonly #rows: Columns<typeof kinds>
  readonly #jobs: Array<string>
  readonly #numbers = new JobNumbers()
  /** All different texts of the rows, the empty text first. */
  readonly #texts: Array<string>
  readonly #textNumbers: Map<string, number>
  #now = 0
  readonly #askedWindow: Window | undefined
  #window: WindowOfLog | undefined
  #isWindowBegun = false
  #isOver = false
  readonly #gone: Set<number>

  /**
   * @param stored `stored` of complete columns, which take no further records; absent for no jobs
   * @param window window of the jobs; without a window the columns have all jobs of the log
   */
  constructor(stored?: StoredJobColumns, window?: Window) {
    this.#askedWindow = window
    this.#gone = new Set(stored?.gone)
    this.#rows = new Columns(kinds, stored?.rows)
    this.#jobs = [...(stored?.jobs ?? [])]
    this.#texts = [...(stored?.texts ?? [''])]
    this.#textNumbers = new Map(this.#texts.map((text, number) => [text, number]))
    this.#now = stored?.now ?? 0
  }

  get jobs(): number {
    return this.#jobs.length
  }

  /** Number of jobs that waited or ran in the window; all jobs for a whole run. */
  get jobsOfWindow(): number {
    return this.#jobs.length - this.#gone.size
  }

  /** Plain data of the columns. The next record may change the arrays. */
  get stored(): StoredJobColumns {
    return { rows: this.#rows.stored, jobs: this.#jobs, texts: this.#texts, now: this.#now, gone: [...this.#gone] }
  }

  /** Returns true if the job of a row waited or ran in the window; always true for a whole run. */
  isOfWindow(row: number): boolean {
    return !this.#gone.has(row)
  }

  /** Adds the next record. A record of a job that was not submitted before is ignored. */
  add(record: LogRecord): void {
    if (record.type === 'header') return void (this.#window = windowOfLog(record, this.#askedWindow))
    if (this.#window !== undefined && !this.#isWithin(this.#window, record.t)) return
    this.#now = record.t
    if (record.type === 'submit') return this.#submit(record)
    if (!('job' in record)) return
    const row = this.#numbers.get(record.job)
    if (row === undefined) return
    const { of } = this.#rows
    switch (record.type) {
      case 'reserve':
        if (Number.isNaN(of.firstReserved[row])) of.firstReserved[row] = record.start
        of.lastReserved[row] = record.start
        return
      case 'allocate':
        return this.#start(row, record)
      case 'finish':
        return this.#end(row, record.status === 'failed' ? FAILED : FINISHED, record.t)
      case 'kill':
        return this.#end(row, KILLED, record.t)
      case 'requeue':
        this.#gone.delete(row)
        of.state[row] = WAITING
        of.queued[row] = record.t
        return
      case 'reject':
        of.state[row] = REJECTED
        return
      case 'cancel':
        if (of.state[row] === WAITING) of.state[row] = CANCELLED
    }
  }

  /** Returns the value of a numeric field of the job of a row; NaN if the job has no value. */
  number(field: JobNumber, row: number): number {
    const { of } = this.#rows
    switch (field) {
      case 'wait':
        return this.#waitOf(row)
      case 'runtime':
        return secondsBetween(of.start[row], of.state[row] === RUNNING ? this.#now : of.end[row])
      case 'slowdown':
        return this.#slowdownOf(row)
      case 'slip':
        return secondsBetween(
          of.firstReserved[row],
          Number.isNaN(of.firstStart[row]) ? of.lastReserved[row] : of.firstStart[row],
        )
      default:
        return of[field][row]
    }
  }

  /** Returns the value of a text field of the job of a row; empty if the job has no value. */
  text(field: JobText, row: number): string {
    const { of } = this.#rows
    switch (field) {
      case 'job':
        return this.#jobs[row]
      case 'state':
        return states[of.state[row]]
      case 'backfilled':
        return backfills[of.backfilled[row]]
      default:
        return this.#texts[of[field][row]]
    }
  }

  /** Returns the number or the text of a field of the job of a row. */
  value(field: JobField, row: number): number | string {
    return isJobNumber(field) ? this.number(field, row) : this.text(field, row)
  }

  /** Returns true if a time is not after the window, and notes the begin and the end of the window. */
  #isWithin({ from, until }: WindowOfLog, t: number): boolean {
    const ms = milliseconds(t)
    if (ms >= from && !this.#isWindowBegun) {
      this.#isWindowBegun = true
      for (let row = 0; row < this.jobs; row++) if (this.#rows.of.state[row] > RUNNING) this.#gone.add(row)
    }
    if (ms > until && !this.#isOver) {
      this.#isOver = true
      this.#now = until / 1000
    }
    return !this.#isOver
  }

  #submit({ t, job, size, estimate, bandwidth, name, user, account, queue, communication }: Submit): void {
    this.#numbers.add(job)
    this.#jobs.push(job)
    const row = this.#rows.add()
    const { of } = this.#rows
    of.size[row] = size
    of.submit[row] = of.queued[row] = t
    of.estimate[row] = estimate ?? Number.NaN
    of.bandwidth[row] = bandwidth ?? Number.NaN
    of.firstStart[row] = of.start[row] = of.end[row] = Number.NaN
    of.firstReserved[row] = of.lastReserved[row] = Number.NaN
    of.name[row] = this.#textOf(name)
    of.user[row] = this.#textOf(user)
    of.account[row] = this.#textOf(account)
    of.queue[row] = this.#textOf(queue)
    of.pattern[row] = this.#textOf(communication?.pattern)
  }

  #start(row: number, { t, note, backfill }: Allocate): void {
    const { of } = this.#rows
    of.state[row] = RUNNING
    of.waited[row] = secondsBetween(-of.waited[row], secondsBetween(of.queued[row], t))
    of.start[row] = t
    of.end[row] = Number.NaN
    if (Number.isNaN(of.firstStart[row])) of.firstStart[row] = t
    of.note[row] = this.#textOf(note === undefined || typeof note === 'string' ? note : JSON.stringify(note))
    of.backfilled[row] = backfill === undefined ? 1 : 2
  }

  #end(row: number, state: number, t: number): void {
    this.#rows.of.state[row] = state
    this.#rows.of.end[row] = t
  }

  #textOf(text: string | undefined): number {
    if (text === undefined || text === '') return 0
    const known = this.#textNumbers.get(text)
    if (known !== undefined) return known
    this.#textNumbers.set(text, this.#texts.length)
    return this.#texts.push(text) - 1
  }

  #waitOf(row: number): number {
    const { state, queued, waited, firstStart } = this.#rows.of
    if (state[row] === WAITING) return secondsBetween(-waited[row], secondsBetween(queued[row], this.#now))
    return Number.isNaN(firstStart[row]) ? Number.NaN : waited[row]
  }

  #slowdownOf(row: number): number {
    const { state, submit, start, end } = this.#rows.of
    if (state[row] === WAITING || state[row] === RUNNING || Number.isNaN(end[row])) return Number.NaN
    const ran = secondsBetween(start[row], end[row])
    return Math.max(1, secondsBetween(submit[row], end[row]) / Math.max(SLOWDOWN_BOUND, ran))
  }
}
