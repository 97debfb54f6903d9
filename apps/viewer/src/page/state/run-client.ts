import { headerTopology } from '@cloister/eventlog'
import { batch, type Signal, signal } from '@preact/signals'
import type { Answerer, Moment, Overview } from '../../run/questions.ts'
import type { Side } from '../../run/sides.ts'
import { RunColumns } from './run-columns.ts'

/** Interval between requests for the growth of a run, in ms, by the status of its log. */
const POLL = { reading: 300, written: 300, other: 1500 } as const
/** Factor of growth of the read records after which the page draws again, because each drawing delays the reading. */
const SHOWN_GROWTH = 1.125

/** Data on one run, and the run's state at the cursor. If the log is replaced, all data are of the new log. */
export class RunClient extends RunColumns {
  readonly side: Side
  /** Answers questions about the shown generation of the run. */
  answerer: Answerer
  readonly overview: Signal<Overview | undefined> = signal(undefined)
  /** Share of the log file that is read, from 0 to 1. */
  readonly progress: Signal<number> = signal(0)
  readonly error: Signal<string | undefined> = signal(undefined)
  readonly moment: Signal<Moment | undefined> = signal(undefined)
  /** Counter that grows whenever the shown records, the status or the generation of the run change. */
  readonly version: Signal<number> = signal(0)
  #wanted: { readonly seq: number } | { readonly t: number } | undefined
  #looking: Promise<void> | undefined

  constructor(side: Side, answerer: Answerer) {
    super()
    this.side = side
    this.answerer = answerer
  }

  /** Requests the growth of the run again and again, as long as the page is open. */
  async follow(): Promise<void> {
    for (;;) {
      const wait = await this.update().catch((error: unknown) => {
        this.error.value = error instanceof Error ? error.message : String(error)
        return POLL.other
      })
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }

  /** Requests the growth of the run since the last request. @returns time until the next request, in ms */
  async update(): Promise<number> {
    const overview = await this.answerer.ask('overview', {})
    if (overview.generation === this.overview.peek()?.generation) {
      await takeGrowth(this, this.answerer, overview)
      this.#show(overview)
    } else await this.#showAnother(overview)
    this.error.value = undefined
    return overview.status === 'reading' ? POLL.reading : overview.status === 'written' ? POLL.written : POLL.other
  }

  #show(overview: Overview): void {
    this.progress.value = overview.progress
    const last = this.overview.value
    const isAnother = last === undefined || last.status !== overview.status || last.generation !== overview.generation
    if (!isAnother && overview.status === 'reading' && overview.records < SHOWN_GROWTH * last.records) return
    if (isAnother || last.records !== overview.records) {
      this.overview.value = overview
      this.version.value++
    } else if (last.seekable !== overview.seekable) this.overview.value = overview
  }

  /** Loads a run's new generation completely before the page shows it, so that the page never mixes generations. */
  async #showAnother(overview: Overview): Promise<void> {
    const { header, generation } = overview
    const answerer = this.answerer.of?.(generation) ?? this.answerer
    const columns = new RunColumns()
    columns.topology = headerTopology(header)
    await takeGrowth(columns, answerer, overview)
    batch(() => {
      Object.assign(this, columns)
      this.answerer = answerer
      this.moment.value = undefined
      this.#show(overview)
    })
  }

  /** Requests the state at a moment. During a request, later calls replace the moment of the next request. */
  async look(at: { readonly seq: number } | { readonly t: number }): Promise<void> {
    this.#wanted = at
    await (this.#looking ??= this.#lookOn())
  }

  /** Resolves when no state is being requested. */
  async rest(): Promise<void> {
    while (this.#looking !== undefined) await this.#looking
  }

  async #lookOn(): Promise<void> {
    while (this.#wanted !== undefined) {
      const wanted = this.#wanted
      this.#wanted = undefined
      const { answerer } = this
      const moment = await answerer.ask('moment', wanted).catch((error: unknown) => {
        if (answerer === this.answerer) this.error.value = (error as Error).message
      })
      // The state of a replaced generation is dropped.
      if (moment !== undefined && answerer === this.answerer) this.moment.value = moment
    }
    this.#looking = undefined
  }
}

async function takeGrowth(columns: RunColumns, answerer: Answerer, overview: Overview): Promise<void> {
  // From the first unsettled span on, known spans may have changed, so the request begins at this span.
  let from = columns.settled
  while (columns.ids.length < overview.jobs || from < overview.spans) {
    const jobs = columns.ids.length
    columns.grow(await answerer.ask('growth', { jobs, spans: from }), from)
    if (columns.spans === from && columns.ids.length === jobs) break
    from = columns.spans
  }
  if (overview.outageRecords !== columns.outageRecords) {
    columns.outages = await answerer.ask('outages', {})
    columns.outageRecords = overview.outageRecords
  }
}
