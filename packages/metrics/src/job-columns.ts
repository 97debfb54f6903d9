import { type JobLabel, jobStates, type RunTable } from '@cloister/eventlog'
import { isJobNumber, type JobField, type JobNumber, type JobText } from './job-fields.ts'

/** Lower bound of the run time in the bounded slowdown, in seconds. */
const SLOWDOWN_BOUND = 10

const [WAITING, RUNNING] = jobStates.keys()

/** Texts of the column `backfilled`, which tells if a job's last start was by backfilling; empty without a start. */
const backfills = ['', 'no', 'yes'] as const

/** Columns of the table of runs with another name than the field. */
const labels: { readonly [Field in JobText]?: JobLabel } = {
  reservation: 'advance_reservation',
  het: 'het_job',
  startedby: 'started_by',
}

/** Fields of the jobs in a table with details. The row of a job is the job's number in submit order, from 0. */
export class JobColumns {
  readonly #table: RunTable

  constructor(table: RunTable) {
    this.#table = table
  }

  get jobs(): number {
    return this.#table.length
  }

  /** Number of jobs that waited or ran in the window; all jobs for a whole run. */
  get jobsOfWindow(): number {
    return this.#table.window === undefined ? this.jobs : this.#table.rows().length
  }

  /** Returns true if the job of a row waited or ran in the window; always true for a whole run. */
  isOfWindow(row: number): boolean {
    return this.#table.isOfWindow(row)
  }

  /** Returns the value of a numeric field of the job of a row; NaN if the job has no value. */
  number(field: JobNumber, row: number): number {
    const table = this.#table
    const { of, now } = table
    switch (field) {
      case 'size':
        return of.size[row]
      case 'gpus':
        return table.detailOf('gpus', row) || Number.NaN
      case 'bandwidth':
      case 'priority':
      case 'hops':
        return table.detailOf(field, row)
      case 'leaves':
      case 'pods':
      case 'links':
        return Number.isNaN(table.detailOf('firstStart', row)) ? Number.NaN : table.detailOf(field, row)
      case 'spread':
        return table.detailOf('hops', row) / (table.leastSpreadOf(row)?.hops ?? Number.NaN)
      case 'extraleaves':
        return this.number('leaves', row) - (table.leastSpreadOf(row)?.leaves ?? Number.NaN)
      case 'wait':
        return this.#waitOf(row) / 1000
      case 'runtime':
        return ((of.state[row] === RUNNING ? now : of.end[row]) - of.start[row]) / 1000
      case 'slowdown':
        return this.#slowdownOf(row)
      case 'slip': {
        const start = table.detailOf('firstStart', row)
        const to = Number.isNaN(start) ? table.detailOf('lastReserved', row) : start
        return (to - table.detailOf('firstReserved', row)) / 1000
      }
      default:
        return of[field][row] / 1000
    }
  }

  /** Returns the value of a text field of the job of a row; empty if the job has no value. */
  text(field: JobText, row: number): string {
    switch (field) {
      case 'job':
        return this.#table.idOf(row)
      case 'state':
        return this.#table.stateOf(row)
      case 'backfilled':
        return backfills[this.#table.detailOf('backfilled', row)]
      default:
        return this.#table.textOf(labels[field] ?? (field as JobLabel), row)
    }
  }

  /** Returns the number or the text of a field of the job of a row. */
  value(field: JobField, row: number): number | string {
    return isJobNumber(field) ? this.number(field, row) : this.text(field, row)
  }

  #waitOf(row: number): number {
    const { of, now } = this.#table
    if (of.state[row] === WAITING) return of.waited[row] + now - of.queued[row]
    return Number.isNaN(this.#table.detailOf('firstStart', row)) ? Number.NaN : of.waited[row]
  }

  #slowdownOf(row: number): number {
    const { state, submit, start, end } = this.#table.of
    if (state[row] === WAITING || state[row] === RUNNING || Number.isNaN(end[row])) return Number.NaN
    const ran = (end[row] - start[row]) / 1000
    return Math.max(1, (end[row] - submit[row]) / 1000 / Math.max(SLOWDOWN_BOUND, ran))
  }
}
