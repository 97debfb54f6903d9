import { type Reserve, type Submit, milliseconds } from '@cloister/eventlog'
import { leastMovingSize, type LoggedQueue, stateWithReservation } from '@cloister/kernel'
import type { ClusterState, Outcome, Refusal } from '@cloister/placement'
import { refusalOfFault } from './refusal-of-fault.ts'
import { type RecordedCluster, reservationOf } from './recorded-cluster.ts'

/** Reason why a job does not start in a state. */
export type WaitReason =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The job fits now, but would hold nodes or links reserved for `job` (record `seq`) beyond the planned start. */
  | { readonly kind: 'would-delay'; readonly job: string; readonly seq: number }
  /** No pass tries the job: the job is behind the window, or no job may pass the head. */
  | { readonly kind: 'not-tried' }
  /** No reason to wait: the next scheduling pass starts the job. */
  | { readonly kind: 'fits' }

export class WaitProbe<Index> {
  readonly #cluster: RecordedCluster<Index>
  readonly #reservations: ReadonlyArray<Reserve>
  readonly #leastMovingSize: number

  constructor(cluster: RecordedCluster<Index>, reservations: ReadonlyArray<Reserve>, queue: LoggedQueue) {
    this.#cluster = cluster
    this.#reservations = reservations
    this.#leastMovingSize = leastMovingSize(queue)
  }

  about(submit: Submit): WaitReason {
    try {
      return this.#reasonOf(submit)
    } catch (error) {
      return { kind: 'refused', refusal: refusalOfFault(error) }
    }
  }

  #reasonOf({ job, size }: Submit): WaitReason {
    const outcome = this.#cluster.ask(job, 'start')
    if (!outcome.ok) return { kind: 'refused', refusal: outcome }
    const end = this.#cluster.estimatedEndOn(job, outcome)
    const inTheWay = this.#reservations.find(
      (reservation) =>
        reservation.job !== job &&
        end > milliseconds(reservation.start) &&
        !(size >= this.#leastMovingSize && this.#cluster.makesWay(job, outcome, reservation)) &&
        !this.#askWithReservation(job, reservation).ok,
    )
    return inTheWay === undefined ? { kind: 'fits' } : { kind: 'would-delay', job: inTheWay.job, seq: inTheWay.seq }
  }

  #askWithReservation(job: string, reserve: Reserve): Outcome {
    const fork: ClusterState<Index> = stateWithReservation(this.#cluster.state, reservationOf(reserve))
    const outcome = this.#cluster.ask(job, 'backfill', fork)
    fork.drop()
    return outcome
  }
}
