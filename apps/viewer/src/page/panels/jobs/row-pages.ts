import { signal, type Signal } from '@preact/signals'
import type { JobListAnswer, JobListQuestion, JobRow } from '../../../run/questions.ts'

/** Number of rows of the table of jobs in one request. */
const PAGE = 100
/** Greatest number of stored pages of rows. The page that was requested first is dropped first. */
const MOST_PAGES = 60

/** The rows of a query in sorted order. A page of 100 rows is requested when one of its rows becomes visible. */
export class RowPages {
  /** Counter that grows whenever a page of rows arrives or a request fails. */
  readonly came: Signal<number> = signal(0)
  readonly summary: Signal<Pick<JobListAnswer, 'error' | 'jobs' | 'found' | 'histogram'> | undefined> =
    signal(undefined)
  readonly #ask: (question: Pick<JobListQuestion, 'from' | 'count'>) => Promise<JobListAnswer>
  readonly #pages = new Map<number, ReadonlyArray<JobRow> | undefined>()

  constructor(ask: (question: Pick<JobListQuestion, 'from' | 'count'>) => Promise<JobListAnswer>) {
    this.#ask = ask
  }

  /** Returns the row of the table of jobs at a place of the sorted order, from 0; undefined until the row arrives. */
  at(place: number): JobRow | undefined {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE]
  }

  /** Requests the pages of the rows from `first` to `last` that are neither stored nor requested. */
  want(first: number, last: number): void {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++)
      if (!this.#pages.has(page)) void this.#load(page)
  }

  async #load(page: number): Promise<void> {
    this.#pages.set(page, undefined)
    if (this.#pages.size > MOST_PAGES) this.#pages.delete(this.#pages.keys().next().value!)
    try {
      const { rows, ...summary } = await this.#ask({ from: page * PAGE, count: PAGE })
      this.#pages.set(page, rows)
      this.summary.value = summary
    } catch (error) {
      this.#pages.delete(page)
      this.summary.value = { error: (error as Error).message, jobs: 0, found: 0, histogram: null }
    }
    this.came.value++
  }
}
