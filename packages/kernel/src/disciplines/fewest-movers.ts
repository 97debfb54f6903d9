import type { Header } from '@cloister/eventlog'

/**
 * Returns the fewest nodes of a job that may take the head's reserved nodes and links, if the head can be placed
 * elsewhere at the same time. Returns Infinity if the reservation is fixed.
 */
export function fewestMovers({
  backfill,
  kill,
  reservation,
  movers = 1,
}: Pick<Header['queue'], 'backfill' | 'kill' | 'reservation' | 'movers'>): number {
  return backfill === 'easy' && reservation === 'movable' && kill !== true ? movers : Infinity
}
