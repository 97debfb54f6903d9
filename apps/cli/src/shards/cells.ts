import type { RunSpec } from '@cloister/run'
import type { Shard } from './shard.ts'

/** Cell and its digest. */
export interface Cell {
  readonly cell: RunSpec
  readonly digest: string
}

/** Returns every `count`th cell. Neighbours have similar run times, and so go to different shards. */
export function cellsOfShard<A>(cells: ReadonlyArray<A>, { index, count }: Shard): ReadonlyArray<A> {
  return cells.filter((_, at) => at % count === index - 1)
}
