import { headerTopology } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { type Signal, signal } from '@preact/signals'
import { Column } from '../../run/column.ts'
import type { Side } from '../../run/sides.ts'
import type { Outages } from '../../run/area.ts'
import type { Answerer, Growth, Moment, Overview } from '../../run/questions.ts'

/** Interval between requests for news of a run that may change, ms. */
const POLL = { reading: 300, written: 300, other: 1500 } as const
/**
 * While a log is read it is shown anew once it has grown by so much: to draw it, and to count its timelines, takes as long as
 * what was read, and the server that reads it answers for it.
 */
const SHOWN_GROWTH = 1.125
/** Spans in a block: blocks without a visible span are skipped. */
const BLOCK = 512

const noOutages: Outages = {
  first: new Int32Array(),
  last: new Int32Array(),
  from: new Float64Array(),
  to: new Float64Array(),
}

/** The page's data on one run: its jobs and spans, which grow, and the state at the cursor. */
export class RunClient {
  readonly side: Side
  readonly answerer: Answerer
  readonly overview: Signal<Overview | undefined> = signal(undefined)
  /** Share of the file that was read. */
  readonly progress: Signal<number> = signal(0)
  readonly error: Signal<string | undefined> = signal(undefined)
  readonly moment: Signal<Moment | undefined> = signal(undefined)
  /** Increases whenever jobs or spans arrive. */
  readonly version: Signal<number> = signal(0)
  topology!: Topology
  ids: Array<string> = []
  numbers = new Map<string, number>()
  submits = new Column(Float64Array)
  sizes = new Column(Int32Array)
  spanJobs = new Column(Int32Array)
  starts = new Column(Float64Array)
  ends = new Column(Float64Array)
  flags = new Column(Uint8Array)
  /** Index of each span's first range, and of the end of the last one's. */
  rangesFrom = new Column(Int32Array)
  ranges = new Column(Int32Array)
  /** Of every BLOCK spans, the earliest start and the latest end. */
  blockStarts = new Column(Float64Array)
  blockEnds = new Column(Float64Array)
  /** Which nodes were down when. */
  outages: Outages = noOutages
  #outageRecords = 0
  #settled = 0
  #generation = -1
  #wanted: { readonly seq: number } | { readonly t: number } | undefined
  #looking: Promise<void> | undefined

  constructor(side: Side, answerer: Answerer) {
    this.side = side
    this.answerer = answerer
  }

  get spans(): number {
    return this.spanJobs.length
  }
  get blockLength(): number {
    return BLOCK
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
    if (overview.generation !== this.#generation) this.#begin(overview)
    // What is behind a job that runs on may have changed too, however much that is.
    let from = this.#settled
    while (this.ids.length < overview.jobs || from < overview.spans) {
      const jobs = this.ids.length
      this.#grow(await this.answerer.ask('growth', { jobs, spans: from }), from)
      if (this.spans === from && this.ids.length === jobs) break
      from = this.spans
    }
    if (overview.outageRecords !== this.#outageRecords) {
      this.outages = await this.answerer.ask('outages', {})
      this.#outageRecords = overview.outageRecords
    }
    this.#show(overview)
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

  #begin({ header, generation }: Overview): void {
    this.#generation = generation
    this.topology = headerTopology(header)
    this.ids = []
    this.numbers = new Map()
    this.submits = new Column(Float64Array)
    this.sizes = new Column(Int32Array)
    this.outages = noOutages
    this.#outageRecords = 0
    this.#settled = 0
    this.#truncate(0)
  }

  /** Drops the spans from one on, which may have changed: the next growth has them again. */
  #truncate(spans: number): void {
    this.ranges.length = spans === 0 ? 0 : this.rangesFrom.at(spans)
    for (const column of [this.spanJobs, this.starts, this.ends, this.flags, this.rangesFrom]) column.length = spans
    const blocks = Math.floor(spans / BLOCK)
    this.blockStarts.length = blocks
    this.blockEnds.length = blocks
    for (let span = blocks * BLOCK; span < spans; span++) this.#addToBlock(span)
  }

  /** @param from the span from which on this tells them */
  #grow(
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
    // One more, for the end of the last: the next growth overwrites it.
    this.rangesFrom.push(range)
    this.rangesFrom.length--
    // Those of the pieces before stay unsettled where one of them did.
    if (this.#settled === from) this.#settled = settled
  }

  #addToBlock(span: number): void {
    const block = Math.floor(span / BLOCK)
    const end = Number.isNaN(this.ends.at(span)) ? Infinity : this.ends.at(span)
    if (block === this.blockStarts.length) {
      this.blockStarts.push(this.starts.at(span))
      this.blockEnds.push(end)
    } else this.blockEnds.set(block, Math.max(this.blockEnds.at(block), end))
  }

  /** The span of a node at a time; -1 where it is idle. */
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

  /** Spans of a job, by its number. */
  spansOf(job: number): ReadonlyArray<number> {
    const spans: Array<number> = []
    for (let span = 0; span < this.spans; span++) if (this.spanJobs.at(span) === job) spans.push(span)
    return spans
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
    try {
      while (this.#wanted !== undefined) {
        const wanted = this.#wanted
        this.#wanted = undefined
        this.moment.value = await this.answerer.ask('moment', wanted)
      }
    } catch (error) {
      this.error.value = (error as Error).message
    } finally {
      this.#looking = undefined
    }
  }
}
