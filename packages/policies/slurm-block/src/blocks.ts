import { consecutiveGroups, type Topology } from '@cloister/topology'

/**
 * Base blocks of a machine, and the sizes of the blocks that hold jobs. A block is a run of consecutive base blocks;
 * the number of base blocks of a block is a power of two.
 */
export interface Blocks {
  /** Number of base blocks. */
  readonly count: number
  /** First leaf of each base block. The last entry is the number of leaves. */
  readonly firstLeaf: Int32Array
  /** Number of nodes of each base block: at least `baseSize`, except for the last block. */
  readonly nodes: Int32Array
  /** Planned size of a base block in nodes. The number of base blocks of a job follows from the planned size. */
  readonly baseSize: number
  /** Number of base blocks of a block, for each block size; ascending from 1. */
  readonly aggregates: ReadonlyArray<number>
}

/**
 * Default numbers of base blocks of the blocks that hold jobs. By default the planned size of a base block is the size
 * of the first leaf.
 */
const AGGREGATES_BY_DEFAULT = [1, 2, 4, 8, 16]

/**
 * Divides the leaves into base blocks. A base block is the shortest run of consecutive leaves with at least `sizes[0]`
 * nodes. No leaf is divided.
 */
export function blocksOf({ firstNodeOfLeaf }: Topology, sizes: ReadonlyArray<number> | undefined): Blocks {
  const baseSize = sizes?.[0] ?? firstNodeOfLeaf[1]
  const firstLeaf = consecutiveGroups(firstNodeOfLeaf, baseSize)
  const count = firstLeaf.length - 1
  const nodes = Int32Array.from(
    { length: count },
    (_, block) => firstNodeOfLeaf[firstLeaf[block + 1]] - firstNodeOfLeaf[firstLeaf[block]],
  )
  const aggregates = sizes?.map((size) => size / baseSize) ?? AGGREGATES_BY_DEFAULT
  return { count, firstLeaf, nodes, baseSize, aggregates }
}

/**
 * Size of the block that a job of some size may use, and the number of lower-level blocks in it that the job may use.
 */
export interface Need {
  /** Number of base blocks of the block that holds the job. */
  readonly block: number
  /**
   * Number of base blocks of a lower-level block: a block of the next smaller size, of which the block of the job
   * consists.
   */
  readonly lower: number
  /** Number of lower-level blocks that the job may use; Infinity if the job may use the whole block. */
  readonly most: number
}

/**
 * Returns the smallest block that can hold a job, and the number of blocks of the next smaller size that the job may
 * use. The block is the whole machine if no block size suffices.
 */
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
