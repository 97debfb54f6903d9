import type { Header } from '@cloister/eventlog'

/**
 * The fewest nodes of a job that may have what is reserved for the head, where the head can be placed elsewhere at the same time;
 * Infinity where reservations are fixed.
 */
export function fewestMovers({
  backfill,
  kill,
  reservation,
  movers = 1,
}: Pick<Header['queue'], 'backfill' | 'kill' | 'reservation' | 'movers'>): number {
  return backfill === 'easy' && reservation === 'movable' && kill !== true ? movers : Infinity
}
