import { consecutiveGroups, type Topology } from '@cloister/topology'

/**
 * Base blocks of a machine, and the sizes of the blocks that hold jobs. A block is a run of consecutive base blocks;
 * the number of base blocks of a block is a power of two.
 */
export interface Blocks {
  readonly count: number
  /** First leaf of each base block, then the number of leaves. */
  readonly firstLeaf: Int32Array
  /** Number of nodes of each base block: at least `baseSize`, except for the last block. */
  readonly nodes: Int32Array
  /** Planned size of a base block in nodes. The number of base blocks of a job follows from the planned size. */
  readonly baseSize: number
  /** Number of base blocks of a block, for each block size; ascending from 1. */
  readonly aggregates: ReadonlyArray<number>
}

const AGGREGATES_BY_DEFAULT = [1, 2, 4, 8, 16]

/** Divides the leaves into base blocks: shortest runs of consecutive leaves with at least `sizes[0]` nodes. */
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
