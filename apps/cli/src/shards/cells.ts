import type { RunSpec } from '@cloister/run'
import type { Shard } from './shard.ts'

/** Cell of an experiment, with the digest that identifies the cell, the program and the policy. */
export interface Cell {
  readonly cell: RunSpec
  readonly digest: string
}

/**
 * Returns every `count`th cell, because neighbours in the list take similar times and should go to different shards.
 */
export function cellsOfShard<A>(cells: ReadonlyArray<A>, { index, count }: Shard): ReadonlyArray<A> {
  return cells.filter((_, at) => at % count === index - 1)
}
