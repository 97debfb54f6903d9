import type { RunSpec } from '@cloister/run'
import type { Shard } from './shard.ts'

/** Cell of an experiment, with the digest that identifies the cell, the program and the policy. */
export interface Cell {
  readonly cell: RunSpec
  readonly digest: string
}

/**
 * Returns the cells of a shard: every `count`th cell. Neighbours in the list go to different shards, because they take
 * similar times.
 */
export function cellsOfShard<A>(cells: ReadonlyArray<A>, { index, count }: Shard): ReadonlyArray<A> {
  return cells.filter((_, at) => at % count === index - 1)
}
