import type { LogState } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { waitingInOrder, whyWaiting } from './why-waiting.ts'

/**
 * Cause of idle nodes while a waiting job requests at most as many nodes:
 *
 * - `shape`: the policy finds no placement on the idle nodes, even if all links were free and up.
 * - `links`: links between the idle nodes are allocated or down.
 * - `reservation`: the job would delay a reservation.
 * - `order`: a scheduling pass does not try the job, because of queue order or window.
 * - `search`: the policy gave up the search.
 * - `none`: no cause; the next scheduling pass starts the job.
 */
export type FragmentationCause = 'shape' | 'links' | 'reservation' | 'order' | 'search' | 'none'

/** Number of idle nodes in a state of a log, the cause, and the job that the cause concerns. */
export interface FragmentedNodes {
  readonly nodes: number
  readonly cause: FragmentationCause
  /** First job in queue order that requests at most as many nodes as are idle. */
  readonly job: string
}

/**
 * Returns the cause of idle nodes in a state of a log: the reason why the first job in queue order that requests at
 * most as many nodes as are idle does not start.
 *
 * @param runTimes run times by placement, from the option `runTimes` of the log
 * @returns undefined if every waiting job requests more nodes than are idle
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails with all links free
 */
export function fragmentedNodes<Index>(
  state: LogState,
  placer: Placer<Index>,
  runTimes?: RunTimes,
): FragmentedNodes | undefined {
  const nodes = state.freeNodes.size
  const rank = waitingInOrder(state).findIndex(({ size }) => size <= nodes)
  if (rank < 0) return undefined
  const { submit, reason } = whyWaiting(state, placer, rank + 1, runTimes)[rank]
  const found = (cause: FragmentationCause): FragmentedNodes => ({ nodes, cause, job: submit.job })
  switch (reason.kind) {
    case 'fits':
      return found('none')
    case 'not-tried':
      return found('order')
    case 'would-delay':
      return found('reservation')
    case 'refused': {
      if (reason.refusal.code === 'search-bound') return found('search')
      const withLinks = RecordedCluster.withFreeLinks(state, placer, runTimes)
      return found(withLinks.ask(submit.job, 'start').ok ? 'links' : 'shape')
    }
  }
}
