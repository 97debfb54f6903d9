import { headerTopology } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { withLeafNames } from './node-names.ts'
import { batch, type Signal, signal } from '@preact/signals'
import type { Outages } from '../../run/area.ts'
import { Column } from '../../run/column.ts'
import type { Answerer, Growth, JobLife, Moment, Overview, Side } from '../../run/questions.ts'

/** Number of spans in a block. A drawing skips blocks whose times are not visible. */
const BLOCK = 512

const noOutages: Outages = {
  first: new Int32Array(),
  last: new Int32Array(),
  from: new Float64Array(),
  to: new Float64Array(),
}

/** Growing columns of one run's jobs and spans. A span is a time in which a job holds nodes; times are in seconds. */
class RunColumns {
  topology!: Topology
  ids: Array<string> = []
  numbers = new Map<string, number>()
  submits = new Column(Float64Array)
  sizes = new Column(Int32Array)
  spanJobs = new Column(Int32Array)
  starts = new Column(Float64Array)
  ends = new Column(Float64Array)
  flags = new Column(Uint8Array)
  /** Index in `ranges` of the first node of each span, and the end of the last span's ranges. */
  rangesFrom = new Column(Int32Array)
  ranges = new Column(Int32Array)
  /** Earliest start of each block of spans. */
  blockStarts = new Column(Float64Array)
  /** Latest end of each block of spans. */
  blockEnds = new Column(Float64Array)
  /** Times and nodes of outages, from the first `outageRecords` `down` and `up` records. */
  outages: Outages = noOutages
  outageRecords = 0
  /** Index of the first span that may still change. */
  settled = 0

  get spans(): number {
    return this.spanJobs.length
  }
  get blockLength(): number {
    return BLOCK
  }

  /** Adds jobs, and replaces the spans from `from` on. @param from index of the growth's first span */
  grow(
    { ids, submits, sizes, spanJobs, starts, ends, flags, rangeCounts, ranges, settled }: Growth,
    from: number,
  ): void {
    for (const [at, id] of ids.entries()) {
      this.numbers.set(id, this.ids.length)
      this.ids.push(id)
      this.submits.push(submits[at])
      this.sizes.push(sizes[at])
    }
    this.#truncate(from)
    for (let at = 0; at < spanJobs.length; at++) {
      this.spanJobs.push(spanJobs[at])
      this.starts.push(starts[at])
      this.ends.push(ends[at])
      this.flags.push(flags[at])
      this.#addToBlock(this.spans - 1)
    }
    let range = this.ranges.length
    for (const count of rangeCounts) {
      this.rangesFrom.push(range)
      range += 2 * count
    }
    for (const node of ranges) this.ranges.push(node)
    // `rangesFrom` has one entry beyond its length, for the end of the last span's ranges. The next growth overwrites
    // it.
    this.rangesFrom.push(range)
    this.rangesFrom.length--
    // If an earlier piece of the growth has an unsettled span, `settled` stays at this span.
    if (this.settled === from) this.settled = settled
  }

  /** Returns the index of the span that holds a node at a time; -1 if no job holds the node. */
  spanAt(t: number, node: number): number {
    for (let block = 0; block < this.blockStarts.length && this.blockStarts.at(block) <= t; block++) {
      if (this.blockEnds.at(block) <= t) continue
      for (let span = block * BLOCK; span < Math.min(this.spans, (block + 1) * BLOCK); span++) {
        if (this.starts.at(span) <= t && !(this.ends.at(span) <= t) && this.holds(span, node)) return span
      }
    }
    return -1
  }

  holds(span: number, node: number): boolean {
    for (let at = this.rangesFrom.at(span); at < this.rangesFrom.at(span + 1); at += 2)
      if (this.ranges.at(at) <= node && node <= this.ranges.at(at + 1)) return true
    return false
  }

  /** Returns the indices of a job's spans. @param job number of the job */
  spansOf(job: number): ReadonlyArray<number> {
    const spans: Array<number> = []
    for (let span = 0; span < this.spans; span++) if (this.spanJobs.at(span) === job) spans.push(span)
    return spans
  }

  /** Drops all spans after the first `spans`. The growth that is being added contains the dropped spans again. */
  #truncate(spans: number): void {
    this.ranges.length = spans === 0 ? 0 : this.rangesFrom.at(spans)
    for (const column of [this.spanJobs, this.starts, this.ends, this.flags, this.rangesFrom]) column.length = spans
    const blocks = Math.floor(spans / BLOCK)
    this.blockStarts.length = blocks
    this.blockEnds.length = blocks
    for (let span = blocks * BLOCK; span < spans; span++) this.#addToBlock(span)
  }

  #addToBlock(span: number): void {
    const block = Math.floor(span / BLOCK)
    const end = Number.isNaN(this.ends.at(span)) ? Infinity : this.ends.at(span)
    if (block === this.blockStarts.length) {
      this.blockStarts.push(this.starts.at(span))
      this.blockEnds.push(end)
    } else this.blockEnds.set(block, Math.max(this.blockEnds.at(block), end))
  }
}

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
  /** Records of the job `job`, the last looked-up job; `life` is null if the log has no such job. */
  readonly lookedUp: Signal<{ readonly job: string; readonly life: JobLife | null } | undefined> = signal(undefined)
  /** Counter that grows whenever the shown records, the status or the generation of the run change. */
  readonly version: Signal<number> = signal(0)
  #wanted: { readonly seq: number } | { readonly t: number } | undefined
  #looking: Promise<void> | undefined
  #lookingUp: Promise<void> | undefined

  constructor(side: Side, answerer: Answerer) {
    super()
    this.side = side
    this.answerer = answerer
  }

  /** Shows an error, or the message of an error, of a request about the run. */
  readonly fails = (error: unknown): void => {
    this.error.value = error instanceof Error ? error.message : String(error)
  }

  /** Requests the growth of the run again and again, as long as the page is open. */
  async follow(): Promise<void> {
    for (;;) {
      const wait = await this.update().catch((error: unknown) => {
        this.fails(error)
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
    columns.topology = withLeafNames(headerTopology(header))
    await takeGrowth(columns, answerer, overview)
    batch(() => {
      Object.assign(this, columns)
      this.answerer = answerer
      this.moment.value = undefined
      this.lookedUp.value = undefined
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

  /**
   * Requests the records of a job. The next state is requested after the answer, because the server may take seconds
   * for a state, and answers one question at a time.
   */
  lookUp(job: string): void {
    const { answerer } = this
    const isWanted = (): boolean => answerer === this.answerer && this.#lookingUp === asked
    const asked: Promise<void> = answerer.ask('job', { job }).then(
      (life) => {
        if (isWanted()) this.lookedUp.value = { job, life }
      },
      (error: unknown) => {
        if (isWanted()) this.fails(error)
      },
    )
    this.#lookingUp = asked
  }

  async #lookOn(): Promise<void> {
    // The job that is selected in the same step is looked up first.
    await Promise.resolve()
    while (this.#wanted !== undefined) {
      await this.#lookingUp
      const wanted = this.#wanted
      this.#wanted = undefined
      const { answerer } = this
      const moment = await answerer.ask('moment', wanted).catch((error: unknown) => {
        if (answerer === this.answerer) this.fails(error)
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
