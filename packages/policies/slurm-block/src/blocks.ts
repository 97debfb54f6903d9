import { consecutiveGroups, type Topology } from '@cloister/topology'

/** Base blocks and the sizes of blocks that hold jobs. A block is made of successive base blocks, a power of two of them. */
export interface Blocks {
  /** Base blocks. */
  readonly count: number
  /** First leaf of each base block; then the number of leaves. */
  readonly firstLeaf: Int32Array
  /** Nodes of each base block: at least `baseSize`, but for the last. */
  readonly nodes: Int32Array
  /** The planned size of a base block: how many a job needs is reckoned with it. */
  readonly baseSize: number
  /** Base blocks of a block, for each size in use; ascending from 1. */
  readonly aggregates: ReadonlyArray<number>
}

/** Without sizes the first leaf is a base block, and blocks have up to 16 of them. */
const AGGREGATES_BY_DEFAULT = [1, 2, 4, 8, 16]

/** A base block is as few consecutive leaves as have the first size; none is divided. */
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

/** What a job of some size may use. */
export interface Need {
  /** Base blocks of the block that holds the job. */
  readonly block: number
  /** Base blocks of a lower-level block: what that block is made of. */
  readonly lower: number
  /** Lower-level blocks that the job may use; Infinity where it may use all of a block. */
  readonly most: number
}

/** The smallest block that can hold so many nodes, and of how many of the next smaller ones it may take nodes; all base blocks, where none can. */
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
