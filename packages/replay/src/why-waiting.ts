import type { LogState, Submit } from '@cloister/eventlog'
import { type LoggedQueue, loggedQueue, queueOrder, type RunTimes } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { mostQuestions } from './most-questions.ts'
import { RecordedCluster } from './recorded-cluster.ts'
import { jobOf } from './recorded-inputs.ts'
import type { QueuePlace } from './recorded-queue.ts'
import { type WaitReason, WaitProbe } from './wait-probe.ts'

/** Waiting job in a state of a log, with the reason for the wait. */
export interface WhyWaiting {
  readonly submit: Submit
  readonly place: QueuePlace
  readonly reason: WaitReason
}

/**
 * Asks a policy, of the log or another, why each of the first `limit` jobs in the queue does not start in one state of
 * a log. A failure of the policy counts as a refusal.
 *
 * @param runTimes run times by placement, from the option `runTimes` of the log; default: the same run time everywhere
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws TooManyQuestionsError if jobs and reservations are many, on a machine of millions of nodes
 */
export function whyWaiting<Index>(
  state: LogState,
  placer: Placer<Index>,
  limit: number,
  runTimes?: RunTimes,
): ReadonlyArray<WhyWaiting> {
  const cluster = RecordedCluster.of(state, placer, runTimes, mostQuestions(state.topology, 0, state.waiting.values()))
  const discipline = loggedQueue(state.header.options)
  const queue = waitingInOrder(state)
  // Under EASY only the reservation of the head counts; the next pass withdraws all other reservations.
  const reservations = [...state.reservations.values()].filter(
    ({ job }) => discipline.backfill === 'conservative' || job === queue[0]?.job,
  )
  const probe = new WaitProbe(cluster, reservations, discipline)
  const tried = triedJobs(discipline)
  return queue.slice(0, limit).map((submit, rank): WhyWaiting => {
    if (rank >= tried) return { submit, place: 'outside', reason: { kind: 'not-tried' } }
    return { submit, place: rank === 0 ? 'head' : 'window', reason: probe.about(submit) }
  })
}

export function waitingInOrder(state: LogState): ReadonlyArray<Submit> {
  const submits = [...state.waiting.values()].sort((a, b) => a.seq - b.seq)
  const jobs = submits.map((submit) => ({ ...jobOf(submit), runTime: 0 }))
  return Array.from(queueOrder(jobs, loggedQueue(state.header.options).order, 'requested'), (job) => submits[job])
}

/** Number of jobs that a scheduling pass tries, with the head; Infinity for an external scheduler. */
function triedJobs(queue: LoggedQueue): number {
  switch (queue.backfill) {
    case 'none':
      return 1
    case 'easy':
      return 1 + queue.window
    case 'conservative':
      return Math.max(1, queue.window)
    case 'external':
      return Infinity
  }
}
