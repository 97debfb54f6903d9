import type { Header } from '@cloister/eventlog'

/** Whether a job of so many nodes may have what is reserved for the head, where that finds another place. */
export function mayMove({ backfill, reservation, movers = 1 }: Header['queue'], size: number): boolean {
  return backfill === 'easy' && reservation === 'movable' && size >= movers
}
