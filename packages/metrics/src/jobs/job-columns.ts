import { type Allocate, type LogRecord, type Submit, secondsBetween } from '@cloister/eventlog'
import type { JobField, JobNumber, JobText } from './job-fields.ts'
import { isJobNumber } from './job-fields.ts'

/** Run times below this do not blow up the bounded slowdown, seconds. */
const SLOWDOWN_BOUND = 10

type State = 'waiting' | 'running' | 'finished' | 'failed' | 'killed' | 'rejected' | 'cancelled'

/** What became of one job so far; NaN: has not happened, or is not known. */
interface Row {
  readonly submit: Submit
  state: State
  /** Since when it waits, or last waited. */
  queued: number
  waited: number
  firstStart: number
  start: number
  end: number
  firstReserved: number
  lastReserved: number
  note: string
  backfilled: string
}

/** All jobs of a log with what became of them, a row each in submit order: to be searched, sorted and counted. */
export class JobColumns {
  readonly #rows: Array<Row> = []
  readonly #numbers = new Map<string, number>()
  /** One text for all rows that have it. */
  readonly #texts = new Map<string, string>()
  #now = 0

  get jobs(): number {
    return this.#rows.length
  }

  /** @param record the next one; those before the first submit of a job say nothing of it */
  add(record: LogRecord): void {
    if (record.type === 'header') return
    this.#now = record.t
    if (record.type === 'submit') return this.#submit(record)
    if (!('job' in record)) return
    const row = this.#rows[this.#numbers.get(record.job) ?? -1]
    if (row === undefined) return
    switch (record.type) {
      case 'reserve':
        if (Number.isNaN(row.firstReserved)) row.firstReserved = record.start
        row.lastReserved = record.start
        return
      case 'allocate':
        return this.#start(row, record)
      case 'finish':
        row.state = record.status === 'failed' ? 'failed' : 'finished'
        row.end = record.t
        return
      case 'kill':
        row.state = 'killed'
        row.end = record.t
        return
      case 'requeue':
        row.state = 'waiting'
        row.queued = record.t
        return
      case 'reject':
        row.state = 'rejected'
        return
      case 'cancel':
        if (row.state === 'waiting') row.state = 'cancelled'
    }
  }

  /** A number of a job; NaN where it has none. @param row its place in submit order */
  number(field: JobNumber, row: number): number {
    const job = this.#rows[row]
    switch (field) {
      case 'size':
        return job.submit.size
      case 'submit':
        return job.submit.t
      case 'start':
        return job.start
      case 'end':
        return job.end
      case 'wait':
        return waitOf(job, this.#now)
      case 'runtime':
        return job.state === 'running' ? secondsBetween(job.start, this.#now) : secondsBetween(job.start, job.end)
      case 'estimate':
        return job.submit.estimate ?? Number.NaN
      case 'slowdown':
        return slowdownOf(job)
      case 'slip':
        return secondsBetween(job.firstReserved, Number.isNaN(job.firstStart) ? job.lastReserved : job.firstStart)
      case 'bandwidth':
        return job.submit.bandwidth ?? Number.NaN
    }
  }

  /** A text of a job; empty where it has none. @param row its place in submit order */
  text(field: JobText, row: number): string {
    const { submit, state, note, backfilled } = this.#rows[row]
    switch (field) {
      case 'state':
        return state
      case 'note':
        return note
      case 'backfilled':
        return backfilled
      case 'pattern':
        return submit.communication?.pattern ?? ''
      default:
        return submit[field] ?? ''
    }
  }

  /** Either. */
  value(field: JobField, row: number): number | string {
    return isJobNumber(field) ? this.number(field, row) : this.text(field, row)
  }

  #submit(submit: Submit): void {
    this.#numbers.set(submit.job, this.#rows.length)
    this.#rows.push({
      submit,
      state: 'waiting',
      queued: submit.t,
      waited: 0,
      firstStart: Number.NaN,
      start: Number.NaN,
      end: Number.NaN,
      firstReserved: Number.NaN,
      lastReserved: Number.NaN,
      note: '',
      backfilled: '',
    })
  }

  #start(row: Row, { t, note, backfill }: Allocate): void {
    row.state = 'running'
    row.waited = secondsBetween(-row.waited, secondsBetween(row.queued, t))
    row.start = t
    row.end = Number.NaN
    if (Number.isNaN(row.firstStart)) row.firstStart = t
    row.note = note === undefined ? '' : this.#once(typeof note === 'string' ? note : JSON.stringify(note))
    row.backfilled = backfill === undefined ? 'no' : 'yes'
  }

  #once(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, text)
    return text
  }
}

function waitOf({ state, queued, waited, firstStart }: Row, now: number): number {
  if (state === 'waiting') return secondsBetween(-waited, secondsBetween(queued, now))
  return Number.isNaN(firstStart) ? Number.NaN : waited
}

function slowdownOf({ state, submit, start, end }: Row): number {
  if (state === 'running' || Number.isNaN(end)) return Number.NaN
  return Math.max(1, secondsBetween(submit.t, end) / Math.max(SLOWDOWN_BOUND, secondsBetween(start, end)))
}
