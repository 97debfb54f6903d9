import { type LeafPart, partsOfBlocks } from '@cloister/placement'
import { consecutiveGroups, type Topology } from '@cloister/topology'

/**
 * Base blocks of a machine, and the sizes of the blocks that hold jobs. A block is a run of consecutive base blocks;
 * the number of base blocks of a block is a power of two.
 */
export interface Blocks {
  readonly count: number
  /** Parts of leaves of all base blocks, block by block; whole leaves on a machine without blocks of its own. */
  readonly parts: ReadonlyArray<LeafPart>
  /** First part of each base block, then the number of parts. */
  readonly firstPart: Int32Array
  /** Number of nodes of each base block: at least `baseSize`, except for the last block. */
  readonly nodes: Int32Array
  /** Planned size of a base block in nodes. The number of base blocks of a job follows from the planned size. */
  readonly baseSize: number
  /** Number of base blocks of a block, for each block size; ascending from 1. */
  readonly aggregates: ReadonlyArray<number>
}

const AGGREGATES_BY_DEFAULT = [1, 2, 4, 8, 16]

/**
 * Divides the machine into base blocks: shortest runs of consecutive leaves, or of consecutive blocks of the machine,
 * with at least `sizes[0]` nodes. Without `sizes`, each block of the machine is a base block.
 */
export function blocksOf(topology: Topology, sizes: ReadonlyArray<number> | undefined): Blocks {
  const { parts, firstPart, firstNode } = partsOfBlocks(topology)
  const smallest = topology.blocks?.reduce((least, { nodes }) => Math.min(least, nodes.length), Infinity)
  const baseSize = sizes?.[0] ?? smallest ?? firstNode[1]
  const first = consecutiveGroups(firstNode, baseSize)
  const count = first.length - 1
  const nodes = Int32Array.from({ length: count }, (_, block) => firstNode[first[block + 1]] - firstNode[first[block]])
  const aggregates = sizes?.map((size) => size / baseSize) ?? AGGREGATES_BY_DEFAULT
  return { count, parts, firstPart: first.map((each) => firstPart[each]), nodes, baseSize, aggregates }
}

/**
 * Block size for a job, and the number of lower-level blocks (blocks of the next smaller size) that the job may use.
 */
export interface Need {
  /** Number of base blocks of the block that holds the job. */
  readonly block: number
  /** Number of base blocks of a lower-level block. */
  readonly lower: number
  /** Number of lower-level blocks that the job may use; Infinity if the job may use the whole block. */
  readonly most: number
}

/** Returns the need of a job of `nodes` nodes. The block is the whole machine if no block size suffices. */
export function needOf({ baseSize, count, aggregates }: Blocks, nodes: number): Need {
  const needed = powerOfTwoFrom(Math.ceil(nodes / baseSize))
  const block = aggregates.find((each) => each >= needed) ?? count
  const lower = aggregates.findLast((each) => each < needed) ?? 1
  const most = Math.ceil(nodes / (lower * baseSize))
  return { block, lower, most: block === lower * most ? Infinity : most }
}

function powerOfTwoFrom(least: number): number {
  let power = 1
  while (power < least) power *= 2
  return power
}

/**
 * Choice of the block for a job or segment, and of base blocks within the block, by best fit: of the blocks with enough
 * free nodes, the block with the fewest; if no block has enough, the block with the most. Of equal blocks, the last
 * wins.
 */
export class BlockChoice {
  readonly #count: number
  readonly #lowerFree: Int32Array
  readonly #isLowerUsed: Uint8Array
  readonly #isTaken: Uint8Array
  readonly #sorted: Int32Array

  constructor({ count }: Blocks) {
    this.#count = count
    this.#lowerFree = new Int32Array(count)
    this.#isLowerUsed = new Uint8Array(count)
    this.#isTaken = new Uint8Array(count)
    this.#sorted = new Int32Array(count)
  }

  /**
   * Returns the first base block of the block that a job or segment gets; -1 if no block has enough free nodes.
   *
   * @param free number of free nodes of each base block
   * @param mayUse returns true if the block with a given first base block may be chosen
   */
  block(free: Int32Array, { block, lower, most }: Need, nodes: number, mayUse: (first: number) => boolean): number {
    let best = -1
    let fewest = Infinity
    for (let first = 0; first < this.#count; first += block) {
      const end = Math.min(first + block, this.#count)
      const all = sum(free, first, end)
      const usable = most === Infinity ? all : this.#largest(free, first, end, lower, most)
      if (usable < nodes || all > fewest || !mayUse(first)) continue
      best = first
      fewest = all
    }
    return best
  }

  /** Returns the number of free nodes of the `most` lower-level blocks with the most free nodes within one block. */
  #largest(free: Int32Array, first: number, end: number, lower: number, most: number): number {
    let parts = 0
    for (let at = first; at < end; at += lower) this.#sorted[parts++] = sum(free, at, Math.min(at + lower, end))
    const sorted = this.#sorted.subarray(0, parts).sort()
    return sum(sorted, Math.max(0, parts - most), parts)
  }

  /**
   * Takes a job's nodes from the base blocks of a block with enough free nodes: adds the number of nodes taken from
   * each base block to `shares`, and subtracts the number from `free`. Base blocks of lower-level blocks that the job
   * already uses come first.
   */
  fill(free: Int32Array, { block, lower, most }: Need, nodes: number, first: number, shares: Int32Array): void {
    const end = Math.min(first + block, this.#count)
    const isLimited = most !== Infinity
    this.#isTaken.fill(0, first, end)
    if (isLimited)
      for (let at = first; at < end; at += lower) {
        this.#isLowerUsed[at / lower] = 0
        this.#lowerFree[at / lower] = sum(free, at, Math.min(at + lower, end))
      }
    for (let left = nodes; left > 0;) {
      let best = -1
      for (let at = first; at < end; at++) {
        if (free[at] === 0 || this.#isTaken[at] === 1) continue
        if (best === -1 || this.#isBetter(free, at, best, left, isLimited ? lower : 0)) best = at
      }
      const taken = Math.min(free[best], left)
      shares[best] += taken
      free[best] -= taken
      left -= taken
      this.#isTaken[best] = 1
      if (isLimited) this.#isLowerUsed[Math.floor(best / lower)] = 1
    }
  }

  /**
   * Returns true if base block `at` suits the job better than the earlier base block `best`. `lower` is the number of
   * base blocks of a lower-level block; 0 if lower-level blocks do not count.
   */
  #isBetter(free: Int32Array, at: number, best: number, left: number, lower: number): boolean {
    const mine = lower === 0 ? 0 : Math.floor(at / lower)
    const other = lower === 0 ? 0 : Math.floor(best / lower)
    if (mine !== other) {
      if (this.#isLowerUsed[mine] !== this.#isLowerUsed[other]) return this.#isLowerUsed[mine] === 1
      const fit = compareFit(this.#lowerFree[mine], this.#lowerFree[other], left)
      if (fit !== 0) return fit < 0
    }
    return compareFit(free[at], free[best], left) <= 0
  }
}

/** Compares two numbers of free nodes by best fit for `left` nodes; negative if `mine` fits better. */
function compareFit(mine: number, other: number, left: number): number {
  const fits = mine >= left
  if (fits !== other >= left) return fits ? -1 : 1
  return fits ? mine - other : other - mine
}

function sum(counts: Int32Array, from: number, to: number): number {
  let total = 0
  for (let at = from; at < to; at++) total += counts[at]
  return total
}
