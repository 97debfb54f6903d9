import type { Header, LogState, Submit } from '@cloister/eventlog'
import { queueOrder, type RunTimes } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { mostQuestions } from './most-questions.ts'
import { RecordedCluster } from './recorded-cluster.ts'
import { jobOf } from './recorded-inputs.ts'
import type { QueuePlace } from './recorded-queue.ts'
import { type WaitReason, WaitProbe } from './wait-probe.ts'

/** Why one job waits in a state of a log. */
export interface WhyWaiting {
  readonly submit: Submit
  readonly place: QueuePlace
  readonly reason: WaitReason
}

/**
 * Asks the policy of a log, or another one, why each of the first jobs in the queue does not start, in one state of the log.
 *
 * @param limit how many jobs
 * @param runTimes what the header's `run_times` names; without it a job is taken to last everywhere as long as by itself
 * @throws RangeError where only one of log and policy shares links
 * @throws TooManyQuestionsError where jobs and reservations are many, on a machine of millions of nodes
 */
export function whyWaiting<Index>(
  state: LogState,
  placer: Placer<Index>,
  limit: number,
  runTimes?: RunTimes,
): ReadonlyArray<WhyWaiting> {
  const cluster = RecordedCluster.of(state, placer, runTimes, mostQuestions(state.topology, 0, state.waiting.values()))
  const { backfill } = state.header.queue
  const queue = waitingInOrder(state)
  // Under EASY only the head's counts: that of a job which another one goes before now is about to be withdrawn.
  const reservations = [...state.reservations.values()].filter(
    ({ job }) => backfill === 'conservative' || job === queue[0]?.job,
  )
  const probe = new WaitProbe(cluster, reservations, state.header.queue)
  const tried = triedJobs(state.header.queue)
  return queue.slice(0, limit).map((submit, rank): WhyWaiting => {
    if (rank >= tried) return { submit, place: 'outside', reason: { kind: 'not-tried' } }
    return { submit, place: rank === 0 ? 'head' : 'window', reason: probe.about(submit) }
  })
}

/** The jobs that wait in a state, in the order in which a scheduling pass tries them. */
export function waitingInOrder(state: LogState): ReadonlyArray<Submit> {
  const submits = [...state.waiting.values()].sort((a, b) => a.seq - b.seq)
  const jobs = submits.map((submit) => ({ ...jobOf(submit), runTime: 0 }))
  return Array.from(queueOrder(jobs, state.header.queue.order, 'requested'), (job) => submits[job])
}

/** How many jobs from the head on a scheduling pass tries. Of somebody else's scheduler it is not known which: it may be any. */
function triedJobs({ backfill, window = 0 }: Header['queue']): number {
  switch (backfill) {
    case 'none':
      return 1
    case 'easy':
      return 1 + window
    case 'conservative':
      return Math.max(1, window)
    case 'external':
      return Infinity
  }
}
