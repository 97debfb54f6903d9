import type { LogState } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { requestOfSize } from './request-of-size.ts'

/**
 * The most nodes that one more job could be given in a state. Found by bisection: exact for policies that find room for every
 * smaller job where there is room for a larger one.
 *
 * @throws RangeError where only one of log and policy shares links
 * @throws PolicyFaultError where the policy fails
 */
export function largestFit<Index>(state: LogState, placer: Placer<Index>): number {
  const cluster = RecordedCluster.of(state, placer)
  const fits = (nodes: number): boolean => cluster.answer(requestOfSize(cluster, nodes)).ok
  let low = 0
  for (let high = cluster.state.freeNodes + 1; low + 1 < high;) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
