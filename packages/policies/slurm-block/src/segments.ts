import { BlockChoice } from './block-choice.ts'
import { type Blocks, type Need, needOf } from './blocks.ts'
import type { Config } from './config.ts'

/** How many nodes of each base block a job gets: as a whole, or segment by segment. */
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

  /** The segment that a job of so many nodes is made of; the job itself where it is not larger, or no multiple of it and placed all the same. */
  segmentOf(nodes: number): number {
    const { segment = nodes, indivisible } = this.#config
    return segment > nodes || (indivisible === 'unsegmented' && nodes % segment !== 0) ? nodes : segment
  }

  /**
   * Writes the nodes that a job gets of each base block.
   *
   * @param free nodes of each base block
   * @returns whether there is room
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
      // The next one is tried.
      this.#free.set(others.fill(0, first, end))
    }
  }

  /** Base blocks of the aggregate that holds all segments; spread ones need whole base blocks. */
  #aggregateOf(segment: number, count: number): number {
    const { baseSize } = this.#blocks
    const room = this.#config.spreadSegments ? Math.ceil(segment / baseSize) * baseSize : segment
    return needOf(this.#blocks, room * count).block
  }

  /** The aggregate of the block that the first segment would get, of aggregates with enough free nodes. */
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

  /** Base blocks of the segment that was just placed are not for the others. */
  #closeUsed(shares: Int32Array): void {
    for (let at = 0; at < shares.length; at++) if (shares[at] > this.#before[at]) this.#left[at] = 0
  }
}

const anyBlock = (): boolean => true
