import { BlockChoice } from './block-choice.ts'
import { type Blocks, type Need, needOf } from './blocks.ts'
import type { Config } from './config.ts'

export class Segments {
  readonly #blocks: Blocks
  readonly #config: Config
  readonly #choice: BlockChoice
  readonly #free: Int32Array
  readonly #left: Int32Array
  readonly #before: Int32Array

  constructor(blocks: Blocks, config: Config) {
    this.#blocks = blocks
    this.#config = config
    this.#choice = new BlockChoice(blocks)
    this.#free = new Int32Array(blocks.count)
    this.#left = new Int32Array(blocks.count)
    this.#before = new Int32Array(blocks.count)
  }

  /** Returns the number of nodes of each segment of a job: the whole job if the job is placed without segments. */
  segmentOf(nodes: number): number {
    const { segment = nodes, indivisible } = this.#config
    return segment > nodes || (indivisible === 'unsegmented' && nodes % segment !== 0) ? nodes : segment
  }

  /**
   * Writes the number of nodes of a job on each base block into `shares`, and returns true if the job fits.
   *
   * @param free number of free nodes of each base block
   */
  divide(free: Int32Array, nodes: number, shares: Int32Array): boolean {
    const segment = this.segmentOf(nodes)
    const need = needOf(this.#blocks, segment)
    const count = nodes / segment
    this.#free.set(free)
    if (!this.#config.consolidateSegments || count === 1) return this.#place(need, segment, count, shares)
    const aggregate = this.#aggregateOf(segment, count)
    for (;;) {
      const first = this.#firstOfAggregate(need, segment, nodes, aggregate)
      if (first === -1) return false
      const end = Math.min(first + aggregate, free.length)
      const others = this.#free.slice()
      this.#free.fill(0, 0, first).fill(0, end)
      if (this.#place(need, segment, count, shares)) return true
      // The loop tries the next aggregate (block) with enough free nodes.
      this.#free.set(others.fill(0, first, end))
    }
  }

  /**
   * Returns the number of base blocks of the aggregate that holds all segments of a job. With `spreadSegments`, each
   * segment needs whole base blocks.
   */
  #aggregateOf(segment: number, count: number): number {
    const { baseSize } = this.#blocks
    const nodesOfSegment = this.#config.spreadSegments ? Math.ceil(segment / baseSize) * baseSize : segment
    return needOf(this.#blocks, nodesOfSegment * count).block
  }

  /**
   * Among the aggregates with enough free nodes for the job, returns the first base block of the aggregate in which the
   * first segment would be placed; -1 if no aggregate has enough.
   */
  #firstOfAggregate(need: Need, segment: number, nodes: number, aggregate: number): number {
    const hasEnough = (block: number): boolean => {
      const first = block - (block % aggregate)
      let free = 0
      for (let at = first; at < first + aggregate && at < this.#free.length; at++) free += this.#free[at]
      return free >= nodes
    }
    const block = this.#choice.block(this.#free, need, segment, hasEnough)
    return block === -1 ? -1 : block - (block % aggregate)
  }

  #place(need: Need, segment: number, count: number, shares: Int32Array): boolean {
    shares.fill(0)
    this.#left.set(this.#free)
    for (let placed = 0; placed < count; placed++) {
      const first = this.#choice.block(this.#left, need, segment, anyBlock)
      if (first === -1) return false
      this.#before.set(shares)
      this.#choice.fill(this.#left, need, segment, first, shares)
      if (this.#config.spreadSegments) this.#closeUsed(shares)
    }
    return true
  }

  /** Keeps further segments of a job off the base blocks that the job's latest segment uses. */
  #closeUsed(shares: Int32Array): void {
    for (let at = 0; at < shares.length; at++) if (shares[at] > this.#before[at]) this.#left[at] = 0
  }
}

const anyBlock = (): boolean => true
