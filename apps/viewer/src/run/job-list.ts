import {
  isJobNumber,
  type JobColumns,
  type JobField,
  type JobHistogram,
  jobHistogram,
  type JobNumber,
  type JobQuery,
  JobQueryError,
  jobNumbers,
  type JobText,
  jobTexts,
  parseJobQuery,
  selectJobs,
  sortJobs,
} from '@cloister/metrics'
import type { JobListAnswer, JobListQuestion, JobRow } from './questions.ts'

/** Greatest number of rows in one answer to the question `jobs`. */
const ROWS_LIMIT = 500
const BARS = 24
/** Texts that a log may lack. */
const namedTexts = ['name', 'user', 'account', 'queue', 'qos', 'reservation', 'array', 'het', 'startedby'] as const
const shownTexts = jobTexts.filter((field) => field !== 'job')
const shownNumbers = jobNumbers.filter((field) => field !== 'bandwidth')

/** Answers the question `jobs`. Stores filtered and sorted rows until query, order or records change. */
export class JobList {
  readonly #columns: JobColumns
  #version = -1
  #chosen: { readonly query: string; readonly rows: Uint32Array } | undefined
  readonly #histograms = new Map<JobNumber, JobHistogram>()
  #sorted: { readonly by: string; readonly rows: Uint32Array } | undefined

  constructor(columns: JobColumns) {
    this.#columns = columns
  }

  /** Returns the asked rows of the table of jobs. @param version number of read records; a change drops stored rows */
  answer({ query, sort, descending, from, count, histogram }: JobListQuestion, version: number): JobListAnswer {
    const all = this.#columns.jobsOfWindow
    let parsed: JobQuery
    try {
      parsed = parseJobQuery(query)
    } catch (error) {
      if (!(error instanceof JobQueryError)) throw error
      return { error: error.message, jobs: all, found: 0, unnamed: [], rows: [], histogram: null }
    }
    if (version !== this.#version) {
      this.#version = version
      this.#chosen = undefined
      this.#sorted = undefined
    }
    const rows = this.#choose(query, parsed)
    const sorted = this.#sort(rows, sort, descending)
    const first = Math.max(0, Math.trunc(from))
    return {
      error: null,
      jobs: all,
      found: rows.length,
      unnamed: rows.length === 0 ? this.#unnamed(parsed) : [],
      rows: Array.from(sorted.subarray(first, first + Math.min(ROWS_LIMIT, count)), (row) => this.#row(row)),
      histogram: histogram !== null && isJobNumber(histogram) ? this.#count(rows, histogram) : null,
    }
  }

  #unnamed(query: JobQuery): ReadonlyArray<JobText> {
    const asked = new Set(query.flat().map(({ field }) => field))
    const all = selectJobs(this.#columns, [])
    return namedTexts.filter((field) => asked.has(field) && all.every((row) => this.#columns.text(field, row) === ''))
  }

  #choose(query: string, parsed: JobQuery): Uint32Array {
    if (this.#chosen?.query !== query) {
      this.#chosen = { query, rows: selectJobs(this.#columns, parsed) }
      this.#sorted = undefined
      this.#histograms.clear()
    }
    return this.#chosen.rows
  }

  #count(rows: Uint32Array, of: JobNumber): JobHistogram {
    const counted = this.#histograms.get(of) ?? jobHistogram(this.#columns, rows, of, BARS)
    this.#histograms.set(of, counted)
    return counted
  }

  #sort(rows: Uint32Array, sort: JobField | null, descending: boolean): Uint32Array {
    const by = `${sort} ${descending}`
    if (this.#sorted?.by !== by)
      this.#sorted = { by, rows: sort === null ? rows : sortJobs(this.#columns, rows, sort, descending) }
    return this.#sorted.rows
  }

  #row(row: number): JobRow {
    const numbers = shownNumbers.map((field) => {
      const value = this.#columns.number(field, row)
      return [field, Number.isNaN(value) ? null : value] as const
    })
    const texts = shownTexts.map((field) => [field, this.#columns.text(field, row)] as const)
    return { job: this.#columns.text('job', row), ...Object.fromEntries([...numbers, ...texts]) }
  }
}
