import type { LogState } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { requestOfSize } from './request-of-size.ts'

/**
 * Returns the size of the largest further job that the policy places in a state; 0 if the policy places no job. The
 * search is a bisection: the result is exact if the policy places every job that is smaller than a placeable job.
 *
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails
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
