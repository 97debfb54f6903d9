import type { Topology } from '@cloister/topology'
import type { Outages } from '../../run/area.ts'
import { Column } from '../../run/column.ts'
import type { Growth } from '../../run/questions.ts'

/** Spans in a block: blocks without a visible span are skipped. */
const BLOCK = 512

const noOutages: Outages = {
  first: new Int32Array(),
  last: new Int32Array(),
  from: new Float64Array(),
  to: new Float64Array(),
}

/** What the page knows of one run: its jobs and spans, which grow. */
export class RunColumns {
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
  /** Which nodes were down when, as of so many records of it. */
  outages: Outages = noOutages
  outageRecords = 0
  /** The first span that may still change. */
  settled = 0

  get spans(): number {
    return this.spanJobs.length
  }
  get blockLength(): number {
    return BLOCK
  }

  /** Adds jobs and spans. @param from the span from which on these are told */
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
    // One more, for the end of the last: the next growth overwrites it.
    this.rangesFrom.push(range)
    this.rangesFrom.length--
    // Those of the pieces before stay unsettled where one of them did.
    if (this.settled === from) this.settled = settled
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

  /** Drops the spans from one on, which may have changed: the next growth has them again. */
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
