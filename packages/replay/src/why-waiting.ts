import { type LogState, partsOf, type Reserve, type Submit } from '@cloister/eventlog'
import { stateWithReservation, queueOrder, type RunTimes } from '@cloister/kernel'
import type { ClusterState, Outcome, Placer, Refusal } from '@cloister/placement'
import { jobOf, milliseconds } from './recorded-inputs.ts'
import { RecordedMachine } from './recorded-machine.ts'
import type { QueuePlace } from './recorded-queue.ts'

/** What keeps a job from starting in a state. */
export type WaitReason =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It fits now, but ends after the start of a job's reservation (record `seq`) and would take of what that needs. */
  | { readonly kind: 'would-delay'; readonly job: string; readonly seq: number }
  /** Nobody may pass the head, or only those of the window. */
  | { readonly kind: 'not-tried' }
  /** Nothing: the next scheduling pass starts it. */
  | { readonly kind: 'fits' }

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
 */
export function whyWaiting<Index>(
  state: LogState,
  placer: Placer<Index>,
  limit: number,
  runTimes?: RunTimes,
): ReadonlyArray<WhyWaiting> {
  const machine = RecordedMachine.of(state, placer, runTimes)
  const { order, backfill, window = 0 } = state.header.queue
  const submits = [...state.waiting.values()].sort((a, b) => a.seq - b.seq)
  const jobs = submits.map((submit) => ({ ...jobOf(submit), runTime: 0 }))
  const tried = backfill === 'none' ? 1 : backfill === 'easy' ? 1 + window : window
  const queue = queueOrder(jobs, order, 'requested')
  // Under EASY only the head's counts: that of a job which another one goes before now is about to be withdrawn.
  const reservations = [...state.reservations.values()].filter(
    ({ job }) => backfill === 'conservative' || job === submits[queue[0]]?.job,
  )
  const asking = new Asking(machine, reservations)
  return Array.from(queue.subarray(0, limit), (job, rank): WhyWaiting => {
    const submit = submits[job]
    if (rank >= Math.max(1, tried)) return { submit, place: 'outside', reason: { kind: 'not-tried' } }
    return { submit, place: rank === 0 ? 'head' : 'window', reason: asking.about(submit) }
  })
}

/** Puts questions to the policy in one state. */
class Asking<Index> {
  readonly #machine: RecordedMachine<Index>
  readonly #reservations: ReadonlyArray<Reserve>

  constructor(machine: RecordedMachine<Index>, reservations: ReadonlyArray<Reserve>) {
    this.#machine = machine
    this.#reservations = reservations
  }

  about({ job }: Submit): WaitReason {
    const outcome = this.#machine.ask(job, 'start')
    if (!outcome.ok) return { kind: 'refused', refusal: outcome }
    const end = this.#machine.estimatedEndOn(job, outcome)
    const inTheWay = this.#reservations.find(
      (reservation) =>
        reservation.job !== job && end > milliseconds(reservation.start) && !this.#beside(job, reservation).ok,
    )
    return inTheWay === undefined ? { kind: 'fits' } : { kind: 'would-delay', job: inTheWay.job, seq: inTheWay.seq }
  }

  /** What the policy says where what is reserved may not be touched. */
  #beside(job: string, { start, bandwidth, ...reserve }: Reserve): Outcome {
    const placement = { ok: true as const, ...partsOf(reserve), ...(bandwidth === undefined ? {} : { bandwidth }) }
    const beside: ClusterState<Index> = stateWithReservation(this.#machine.state, {
      start: milliseconds(start),
      placement,
    })
    const outcome = this.#machine.ask(job, 'backfill', beside)
    beside.drop()
    return outcome
  }
}

/**
 * The most nodes that one more job could be given in a state. Found by bisection: exact for policies that find room for every
 * smaller job where there is room for a larger one.
 *
 * @throws RangeError where only one of log and policy shares links
 */
export function largestFit<Index>(state: LogState, placer: Placer<Index>): number {
  const machine = RecordedMachine.of(state, placer)
  const request = {
    purpose: 'start',
    job: '',
    now: machine.now,
    submitted: machine.now,
    estimate: undefined,
    bandwidth: undefined,
    communication: undefined,
  } as const
  const fits = (nodes: number): boolean => placer.place(machine.state, { ...request, nodes }, machine.state.index).ok
  let low = 0
  for (let high = machine.state.freeNodes + 1; low + 1 < high;) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
