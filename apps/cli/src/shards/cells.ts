import type { RunSpec } from '@cloister/run'
import type { Shard } from './shard.ts'

/** A cell and its digest. */
export interface Cell {
  readonly cell: RunSpec
  readonly digest: string
}

/** The cells of one shard: every `count`th, so that neighbours, which take alike, are spread. */
export function cellsOfShard<A>(cells: ReadonlyArray<A>, { index, count }: Shard): ReadonlyArray<A> {
  return cells.filter((_, at) => at % count === index - 1)
}
