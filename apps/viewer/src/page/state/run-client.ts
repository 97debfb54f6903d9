import { headerTopology } from '@cloister/eventlog'
import { batch, type Signal, signal } from '@preact/signals'
import type { Answerer, Moment, Overview } from '../../run/questions.ts'
import type { Side } from '../../run/sides.ts'
import { RunColumns } from './run-columns.ts'

/** Interval between requests for news of a run, in ms. */
const POLL = { reading: 300, written: 300, other: 1500 } as const
/**
 * Growth after which a log is shown again while it is read. The time of a drawing grows with the records read, and
 * the server must answer every drawing beside reading.
 */
const SHOWN_GROWTH = 1.125

/** The page's data on the run of a log, and the state at the cursor. A replaced log has the data of the new log. */
export class RunClient extends RunColumns {
  readonly side: Side
  /** Answers about the shown run. */
  answerer: Answerer
  readonly overview: Signal<Overview | undefined> = signal(undefined)
  /** Share of the file that is read, from 0 to 1. */
  readonly progress: Signal<number> = signal(0)
  readonly error: Signal<string | undefined> = signal(undefined)
  readonly moment: Signal<Moment | undefined> = signal(undefined)
  /** Increases whenever jobs or spans arrive. */
  readonly version: Signal<number> = signal(0)
  #wanted: { readonly seq: number } | { readonly t: number } | undefined
  #looking: Promise<void> | undefined

  constructor(side: Side, answerer: Answerer) {
    super()
    this.side = side
    this.answerer = answerer
  }

  /** Follows the run while the page is open. */
  async follow(): Promise<void> {
    for (;;) {
      const wait = await this.update().catch((error: unknown) => {
        this.error.value = error instanceof Error ? error.message : String(error)
        return POLL.other
      })
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }

  /** Requests the news of the run. @returns time until the next request, in ms */
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

  /** Loads a run completely before the page shows it. So the page never shows parts of two runs. */
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

  /** Requests the state at a moment. During a request only the latest further moment is stored. */
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
      // The state of a replaced run is useless.
      if (moment !== undefined && answerer === this.answerer) this.moment.value = moment
    }
    this.#looking = undefined
  }
}

/** Requests the news of a run. */
async function takeGrowth(columns: RunColumns, answerer: Answerer, overview: Overview): Promise<void> {
  // Spans behind the first running job may also have changed, so the request begins there.
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
