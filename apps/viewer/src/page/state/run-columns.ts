import type { Topology } from '@cloister/topology'
import type { Outages } from '../../run/area.ts'
import { Column } from '../../run/column.ts'
import type { Growth } from '../../run/questions.ts'

/** Number of spans in a block. A drawing skips blocks whose times are not visible. */
const BLOCK = 512

const noOutages: Outages = {
  first: new Int32Array(),
  last: new Int32Array(),
  from: new Float64Array(),
  to: new Float64Array(),
}

/** Growing columns of one run's jobs and spans. A span is a time in which a job holds nodes; times are in seconds. */
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
