import { signal, type Signal } from '@preact/signals'
import type { JobListAnswer, JobListQuestion, JobRow } from '../../../run/questions.ts'

/** Rows that are asked for at once. */
const PAGE = 100
/** Pages that are kept: beyond that those asked for first go. */
const KEPT = 60

/** The rows of one query in one order, asked for as they come into view. */
export class RowPages {
  /** Changes whenever rows came. */
  readonly came: Signal<number> = signal(0)
  readonly summary: Signal<Pick<JobListAnswer, 'error' | 'jobs' | 'found' | 'histogram'> | undefined> =
    signal(undefined)
  readonly #ask: (question: Pick<JobListQuestion, 'from' | 'count'>) => Promise<JobListAnswer>
  readonly #pages = new Map<number, ReadonlyArray<JobRow> | undefined>()

  constructor(ask: (question: Pick<JobListQuestion, 'from' | 'count'>) => Promise<JobListAnswer>) {
    this.#ask = ask
  }

  /** A row by its place; undefined until it comes. */
  at(place: number): JobRow | undefined {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE]
  }

  /** Asks for what of some rows is not there. */
  want(first: number, last: number): void {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++)
      if (!this.#pages.has(page)) void this.#load(page)
  }

  async #load(page: number): Promise<void> {
    this.#pages.set(page, undefined)
    if (this.#pages.size > KEPT) this.#pages.delete(this.#pages.keys().next().value!)
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
