import { type BoundOrder, bindOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { compare, scoresOf } from './ranked-queue.ts'
import type { Scheduler } from './scheduler.ts'
import type { EasyBackfill } from './scheduling-rules.ts'

/**
 * Returns a function that orders the jobs of the window behind the head; ties in queue order. Undefined if the window
 * has the queue order.
 *
 * @param order order of the queue. The option `windowOrder` comes before its `scoreBehindHead`
 */
export function windowOrderOf<Index>(
  scheduler: Scheduler<Index>,
  { windowOrder }: EasyBackfill,
  order: BoundOrder | undefined,
): ((first: ReadonlyArray<number>) => ReadonlyArray<number>) | undefined {
  const machine = { nodes: scheduler.state.topology.nodes }
  const ofOption = windowOrder && bindOrder(orders.get(windowOrder)!, machine)
  if (ofOption === undefined && order?.ordering.scoreBehindHead === undefined) return undefined
  return (first) => {
    const scores = scoresOf(ofOption ?? order!, scheduler.viewOf(first), ofOption === undefined)
    return Array.from(first.keys())
      .slice(1)
      .filter((place) => ofOption !== undefined || scores[place] !== Infinity)
      .sort((a, b) => compare(scores[a], scores[b]) || a - b)
      .map((place) => first[place])
  }
}
