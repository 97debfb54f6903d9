import type { LogState } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import type { Allocation, Outcome, Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { waitingInOrder } from './why-waiting.ts'

/** Which single change would let the first waiting job start. */
export interface Relief {
  /** The first job of the queue. */
  readonly job: string
  /** Nodes that it asks for. */
  readonly size: number
  /** Whether the policy places it as things are. */
  readonly fits: boolean
  /** Running jobs, by how soon they are expected to end: the end of any one of them would be enough. */
  readonly releases: ReadonlyArray<string>
  /** Running jobs any one of which could run elsewhere while the first one starts: the policy places both. */
  readonly moves: ReadonlyArray<string>
  /** Seconds until, by estimates, so many jobs have ended that the policy places it; undefined where that never comes, or it fits now. */
  readonly delay: number | undefined
  /** Running jobs that were tried, of all that run. */
  readonly tried: number
  readonly running: number
}

/**
 * Asks a policy which single change of a state would be enough for the first waiting job: the end of a running job, its
 * move to another place, or time. What reservations of others would say is left out: of the first job they say nothing.
 *
 * @param runTimes what the header's `run_times` names
 * @param most running jobs that are tried, those first that are expected to end first
 * @returns undefined where no job waits
 * @throws RangeError where only one of log and policy shares links
 * @throws PolicyFaultError where the policy fails
 */
export function relief<Index>(
  state: LogState,
  placer: Placer<Index>,
  runTimes?: RunTimes,
  most: number = 400,
): Relief | undefined {
  const [head] = waitingInOrder(state)
  if (head === undefined) return undefined
  const cluster = RecordedCluster.of(state, placer, runTimes)
  const { running } = cluster.state
  const fits = cluster.ask(head.job, 'start').ok
  const tried = fits ? [] : running.slice(0, most)
  const outcomes = tried.map((job) => ({ job: job.job, ...without(cluster, job, head.job) }))
  return {
    job: head.job,
    size: head.size,
    fits,
    releases: outcomes.filter(({ isEnough }) => isEnough).map(({ job }) => job),
    moves: outcomes.filter(({ fitsElsewhere }) => fitsElsewhere).map(({ job }) => job),
    delay: fits ? undefined : delayOf(cluster, head.job),
    tried: tried.length,
    running: running.length,
  }
}

/** Whether the first job could start without a running one, and whether that one would find another place then. */
function without<Index>(
  cluster: RecordedCluster<Index>,
  running: Allocation,
  head: string,
): { readonly isEnough: boolean; readonly fitsElsewhere: boolean } {
  const state = cluster.state.fork()
  state.release(running)
  const outcome = cluster.ask(head, 'start', state)
  let fitsElsewhere = false
  if (outcome.ok) {
    state.apply(allocationOf(cluster, head, outcome, running.startOrder))
    fitsElsewhere = cluster.ask(running.job, 'start', state).ok
  }
  state.drop()
  return { isEnough: outcome.ok, fitsElsewhere }
}

function allocationOf<Index>(
  cluster: RecordedCluster<Index>,
  job: string,
  { nodes, links, bandwidth }: Extract<Outcome, { readonly ok: true }>,
  startOrder: number,
): Allocation {
  return {
    job,
    nodes,
    links,
    communicates: cluster.request(job, 'start').communication !== undefined,
    estimatedEnd: cluster.estimatedEnd(job),
    startOrder,
    ...(bandwidth === undefined ? {} : { bandwidth }),
  }
}

function delayOf<Index>(cluster: RecordedCluster<Index>, job: string): number | undefined {
  const state = cluster.state.fork()
  let found: number | undefined
  for (const { estimatedEnd } of cluster.state.running) {
    if (!Number.isFinite(estimatedEnd)) break
    // All that end at one instant are released before it is asked.
    if (state.running[0] === undefined || state.running[0].estimatedEnd > estimatedEnd) continue
    state.releaseUntil(estimatedEnd)
    if (!cluster.ask(job, 'start', state).ok) continue
    found = (estimatedEnd - cluster.now) / 1000
    break
  }
  state.drop()
  return found
}
