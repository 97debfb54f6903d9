import type { LogState, Submit } from '@cloister/eventlog'
import {
  jobOfRecord,
  loggedOrder,
  loggedQueue,
  OrderedQueue,
  LogScheduler,
  PolicyFaultError,
  type RunTimes,
  triedJobs,
  type Verdict,
} from '@cloister/kernel'
import type { QueueOrder } from '@cloister/ordering'
import type { Placer, Refusal } from '@cloister/placement'
import { checkLinks, RecordedCluster } from './recorded-cluster.ts'
import { mostQuestions } from './recorded-inputs.ts'
import type { QueuePlace } from './recorded-passes.ts'

/** Reason why a job does not start in a state. */
export type WaitReason =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The job fits now, but would hold nodes or links reserved for `job` (record `seq`) beyond the planned start. */
  | { readonly kind: 'would-delay'; readonly job: string; readonly seq: number }
  /** No pass tries the job: the job is behind the window, or no job may pass the head. */
  | { readonly kind: 'not-tried' }
  /** The job is not yet in the queue: its order claims `recorded`, and some job of an earlier turn is not submitted. */
  | { readonly kind: 'early' }
  /** No reason to wait: the next scheduling pass starts the job. */
  | { readonly kind: 'fits' }

/** Waiting job in a state of a log, with the reason for the wait. */
export interface WhyWaiting {
  readonly submit: Submit
  readonly place: QueuePlace
  readonly reason: WaitReason
}

/**
 * Asks a policy, of the log or another, why each of the first `limit` jobs in the queue does not start in one state of
 * a log. The scheduler itself judges each job. A failure of the policy counts as a refusal.
 *
 * @param runTimes run times by placement, from the option `runTimes` of the log; default: the same run time everywhere
 * @param order order for a log whose queue order is not built in
 * @throws UnknownOrderError if the queue order of the log is neither built in nor given
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws TooManyQuestionsError if jobs and reservations are many, on a machine of millions of nodes
 */
export function whyWaiting<Index>(
  state: LogState,
  placer: Placer<Index>,
  limit: number,
  runTimes?: RunTimes,
  order?: QueueOrder<any>,
): ReadonlyArray<WhyWaiting> {
  const first = waitingInOrder(state, order).slice(0, limit)
  const reasonAt = reasonsOf(state, first, placer, runTimes, order)
  return first.map((submit, rank): WhyWaiting => {
    const reason = reasonAt(rank)
    const places = { 'not-tried': 'outside', early: 'early' } as const
    const place = rank === 0 ? 'head' : 'window'
    return { submit, place: places[reason.kind as keyof typeof places] ?? place, reason }
  })
}

/** Returns a function that asks for the reason of the job at a rank of the queue, counted from 0. */
function reasonsOf<Index>(
  state: LogState,
  first: ReadonlyArray<Submit>,
  placer: Placer<Index>,
  runTimes: RunTimes | undefined,
  order: QueueOrder<any> | undefined,
): (rank: number) => WaitReason {
  checkLinks(state.header, placer)
  const bound = loggedOrder(state.header, state.topology, order)
  const most = mostQuestions(state.topology, 0, state.waiting.values())
  const policy = { placer, order: bound, runTimes, mostQuestions: most }
  const eligible = first.filter((submit) => !isEarly(submit, state))
  const tried = eligible.slice(0, triedJobs(loggedQueue(state.header.options)))
  const notTried = (rank: number): WaitReason => ({ kind: rank < eligible.length ? 'not-tried' : 'early' })
  const reserved = [...state.reservations.keys()].flatMap((job) => state.waiting.get(job) ?? [])
  try {
    // A scheduler with all waiting jobs, perhaps hundreds of thousands, would take longer than the questions.
    // Scores that change may depend on all waiting jobs.
    const needed = bound?.ordering.claims.fixed === false ? state.waiting.values() : [...tried, ...reserved]
    const scheduler = LogScheduler.of(state, policy, new Set(needed))
    return (rank) => (rank < tried.length ? reasonOf(scheduler, tried[rank]) : notTried(rank))
  } catch (error) {
    // The policy failed at the request key of a job.
    const refusal = refusalOfFault(error)
    return (rank) => (rank < tried.length ? { kind: 'refused', refusal } : notTried(rank))
  }
}

/** Returns true if a job waits outside of the queue, because a job of an earlier turn is not yet submitted. */
function isEarly({ eligible = 0 }: Submit, { header, t }: LogState): boolean {
  return header.order?.claims.recorded === true && eligible > t
}

function reasonOf<Index>(scheduler: LogScheduler<Index>, { job }: Submit): WaitReason {
  let verdict: Verdict
  try {
    verdict = scheduler.judge(job)
  } catch (error) {
    return { kind: 'refused', refusal: refusalOfFault(error) }
  }
  if (verdict.starts) return { kind: 'fits' }
  const { refusal, reservation } = verdict
  if (reservation === undefined) return { kind: 'refused', refusal }
  return { kind: 'would-delay', job: reservation.id, seq: reservation.seq }
}

/**
 * Returns the waiting jobs of a state in queue order; last the jobs that are not yet in the queue, in submit order.
 *
 * @param order order for a log whose order is not built in
 * @throws UnknownOrderError if the order of the log is neither built in nor given
 */
export function waitingInOrder(state: LogState, order?: QueueOrder<any>): ReadonlyArray<Submit> {
  const { header, topology } = state
  const submits = [...state.waiting.values(), ...Array.from(state.running.values(), ({ submit }) => submit)]
  if (header.order === undefined) return submits.slice(0, state.waiting.size).sort((a, b) => a.seq - b.seq)
  const known = submits.sort((a, b) => a.seq - b.seq)
  const numbers = new Map(known.map(({ job }, number) => [job, number]))
  const jobs = known.map((submit) => ({ ...jobOfRecord(submit), runTime: Infinity }))
  const queue = new OrderedQueue(header, topology, jobs, order)
  queue.restore(state, (job) => numbers.get(job)!)
  for (const job of state.waiting.keys()) queue.waiting.add(numbers.get(job)!)
  const { waiting } = queue
  const inOrder: Array<Submit> = []
  for (let job = waiting.head; job !== undefined; job = waiting.after(job)) inOrder.push(known[job])
  return [...inOrder, ...known.filter((submit) => state.waiting.has(submit.job) && isEarly(submit, state))]
}

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
 * @param order order for a log whose queue order is not built in
 * @throws UnknownOrderError if the queue order of the log is neither built in nor given
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails with all links free
 */
export function fragmentedNodes<Index>(
  state: LogState,
  placer: Placer<Index>,
  runTimes?: RunTimes,
  order?: QueueOrder<any>,
): FragmentedNodes | undefined {
  const nodes = state.freeNodes.size
  const queue = waitingInOrder(state, order)
  const rank = queue.findIndex(({ size }) => size <= nodes)
  if (rank < 0) return undefined
  const { job } = queue[rank]
  const reason = reasonsOf(state, queue.slice(0, rank + 1), placer, runTimes, order)(rank)
  const found = (cause: FragmentationCause): FragmentedNodes => ({ nodes, cause, job })
  switch (reason.kind) {
    case 'fits':
      return found('none')
    case 'not-tried':
    case 'early':
      return found('order')
    case 'would-delay':
      return found('reservation')
    case 'refused': {
      if (reason.refusal.code === 'search-bound') return found('search')
      const withLinks = RecordedCluster.withFreeLinks(state, placer)
      return found(withLinks.ask(job, 'start').ok ? 'links' : 'shape')
    }
  }
}

/** Returns a refusal for a policy's failure at a request that the run did not make. Throws all other errors again. */
export function refusalOfFault(error: unknown): Refusal {
  if (!(error instanceof PolicyFaultError)) throw error
  return { ok: false, code: 'no-placement', constraint: `the policy fails at this request: ${error.reason}` }
}
