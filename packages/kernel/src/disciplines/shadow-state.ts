import type { Allocation, ClusterState } from '@cloister/placement'
import { BlockingPlacements } from './blocking-placements.ts'
import { MarkedPlacement } from './marked-placement.ts'

/**
 * The state expected at the shadow time of a reservation: all jobs that end by then are gone. Made when it is first needed, and kept
 * in step with what starts and ends as long as that time stands.
 */
export class ShadowState<Index> {
  readonly #state: ClusterState<Index>
  #expected: ClusterState<Index> | undefined
  #time = Infinity
  /** Beside which the head cannot be placed in it. */
  readonly blocking: BlockingPlacements

  /** @param state the one of now */
  constructor(state: ClusterState<Index>) {
    this.#state = state
    this.blocking = new BlockingPlacements(new MarkedPlacement(state.topology))
  }

  /** At this time; whoever changes it puts it back as it was. */
  at(time: number): ClusterState<Index> {
    if (this.#expected !== undefined && this.#time === time) return this.#expected
    this.drop()
    this.#time = time
    this.#expected = this.#state.fork()
    this.#expected.releaseUntil(time)
    return this.#expected
  }

  /** Something changed that it does not follow. */
  drop(): void {
    this.#expected?.drop()
    this.blocking.forget()
    this.#expected = undefined
  }

  onStart(allocation: Allocation): void {
    if (allocation.estimatedEnd > this.#time) this.#expected?.apply(allocation)
    else this.#expected?.willHaveEnded(allocation)
  }

  onRelease(allocation: Allocation): void {
    if (allocation.estimatedEnd <= this.#time) return this.#expected?.hasEnded(allocation)
    this.#expected?.release(allocation)
    this.blocking.forget()
  }

  onOverrun(allocation: Allocation, extended: Allocation): void {
    if (allocation.estimatedEnd > this.#time) this.#expected?.replace(allocation, extended)
    else if (extended.estimatedEnd > this.#time) this.drop()
    else {
      this.#expected?.hasEnded(allocation)
      this.#expected?.willHaveEnded(extended)
    }
  }
}
