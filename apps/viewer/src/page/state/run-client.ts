import { headerTopology } from '@cloister/eventlog'
import { batch, type Signal, signal } from '@preact/signals'
import type { Answerer, Moment, Overview } from '../../run/questions.ts'
import type { Side } from '../../run/sides.ts'
import { RunColumns } from './run-columns.ts'

/** Interval between requests for news of a run that may change, ms. */
const POLL = { reading: 300, written: 300, other: 1500 } as const
/**
 * While a log is read it is shown anew once it has grown by so much: to draw it, and to count its timelines, takes as long as
 * what was read, and the server that reads it answers for it.
 */
const SHOWN_GROWTH = 1.125

/** The page's data on the run of one log, the latest where that is replaced, and the state at the cursor. */
export class RunClient extends RunColumns {
  readonly side: Side
  /** Answers about the run that is shown. */
  answerer: Answerer
  readonly overview: Signal<Overview | undefined> = signal(undefined)
  /** Share of the file that was read. */
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

  /** Follows the run for as long as the page is open. */
  async follow(): Promise<void> {
    for (;;) {
      const wait = await this.update().catch((error: unknown) => {
        this.error.value = error instanceof Error ? error.message : String(error)
        return POLL.other
      })
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }

  /** Requests what is new of the run. @returns how long to wait until the next request, ms */
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

  /** Takes all of a run before anything of it is shown: what is drawn is never of two runs. */
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

  /** Requests the state at a moment; while a request is under way only the latest further moment is kept. */
  async look(at: { readonly seq: number } | { readonly t: number }): Promise<void> {
    this.#wanted = at
    await (this.#looking ??= this.#lookOn())
  }

  /** Once no state is being asked for. */
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
      // That of the run before is of no use any more.
      if (moment !== undefined && answerer === this.answerer) this.moment.value = moment
    }
    this.#looking = undefined
  }
}

/** Requests what is new of a run. */
async function takeGrowth(columns: RunColumns, answerer: Answerer, overview: Overview): Promise<void> {
  // What is behind a job that runs on may have changed too, however much that is.
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
