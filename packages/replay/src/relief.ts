import type { LogState } from '@cloister/eventlog'
import type { QueueOrder } from '@cloister/ordering'
import type { Allocation, Outcome, Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { waitingInOrder } from './why-waiting.ts'

/** Single changes of a state that would let a waiting job, by default the head of the queue, start. */
export interface Relief {
  readonly job: string
  readonly size: number
  /** True if the policy places the job without any change. */
  readonly fits: boolean
  /** Running jobs, by estimated end. If any one of these jobs ended now, the waiting job could start. */
  readonly releases: ReadonlyArray<string>
  /**
   * Running jobs of `releases`, by estimated end, for which the policy finds other nodes beside the waiting job. The
   * policy places the waiting job first, then the running job.
   */
  readonly moves: ReadonlyArray<string>
  /** Seconds until enough jobs have ended by their estimates for the job; undefined if the job fits now, or never. */
  readonly delay: number | undefined
  readonly tried: number
  readonly running: number
}

/** Options of `relief`. */
export interface ReliefOptions {
  /** Waiting job that would start. Default: the head of the queue. */
  readonly job?: string | undefined
  /** Greatest number of running jobs to try, in order of their estimated ends. Default: 400. */
  readonly most?: number
  /** Order for a log whose queue order is not built in. */
  readonly order?: QueueOrder<any> | undefined
}

/**
 * Asks a policy which single change of a state would let a waiting job start: the end of a running job, the move of a
 * running job, or a wait. Reservations are ignored, because reservations of later jobs do not bind the head.
 *
 * @returns undefined if no job waits, or if the job of the options does not wait
 * @throws UnknownOrderError if the queue order of the log is neither built in nor given
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails
 */
export function relief<Index>(
  state: LogState,
  placer: Placer<Index>,
  { job, most = 400, order }: ReliefOptions = {},
): Relief | undefined {
  const head = job === undefined ? waitingInOrder(state, order)[0] : state.waiting.get(job)
  if (head === undefined) return undefined
  const cluster = RecordedCluster.of(state, placer)
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
    // All jobs with the same estimated end are released before the question.
    if (state.running[0] === undefined || state.running[0].estimatedEnd > estimatedEnd) continue
    state.releaseUntil(estimatedEnd)
    if (!cluster.ask(job, 'start', state).ok) continue
    found = (estimatedEnd - cluster.now) / 1000
    break
  }
  state.drop()
  return found
}
