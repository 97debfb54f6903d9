import type { LogState } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { waitingInOrder, whyWaiting } from './why-waiting.ts'

/**
 * Why nodes are idle although a waiting job asks for no more: the idle nodes have no shape that the job could have; the
 * links between them are taken or down; it would delay a reservation; the queue's order or window keeps it from being
 * tried; the search for a place was given up; nothing keeps it, and the next scheduling pass starts it.
 */
export type UnplacedCause = 'shape' | 'links' | 'reservation' | 'order' | 'search' | 'none'

/** What keeps the idle nodes of a moment idle. */
export interface Unplaced {
  /** How many are idle. */
  readonly nodes: number
  readonly cause: UnplacedCause
  /** The first job, in the order of the queue, that asks for no more than are idle. */
  readonly job: string
}

/**
 * Tells why nodes are idle in a state of a log by asking its policy about the first job that they would be enough for.
 *
 * @param runTimes what the header's `run_times` names
 * @returns undefined where no waiting job asks for so few
 * @throws RangeError where only one of log and policy shares links
 * @throws PolicyFaultError where the policy fails
 */
export function unplaced<Index>(state: LogState, placer: Placer<Index>, runTimes?: RunTimes): Unplaced | undefined {
  const nodes = state.freeNodes.size
  const rank = waitingInOrder(state).findIndex(({ size }) => size <= nodes)
  if (rank < 0) return undefined
  const { submit, reason } = whyWaiting(state, placer, rank + 1, runTimes)[rank]
  const found = (cause: UnplacedCause): Unplaced => ({ nodes, cause, job: submit.job })
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
