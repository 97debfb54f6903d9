import type { Allocation, ClusterState } from '@cloister/placement'
import { BlockingPlacements } from './blocking-placements.ts'
import { MarkedPlacement } from './marked-placement.ts'

/** State expected at the shadow time, without the jobs that end by then. Starts and ends of jobs update this state. */
export class ShadowState<Index> {
  readonly #state: ClusterState<Index>
  #expected: ClusterState<Index> | undefined
  #time = Infinity
  readonly blocking: BlockingPlacements

  constructor(state: ClusterState<Index>) {
    this.#state = state
    this.blocking = new BlockingPlacements(new MarkedPlacement(state.topology))
  }

  /** Returns the state expected at a time. A caller that changes the state must restore it. */
  at(time: number): ClusterState<Index> {
    if (this.#expected !== undefined && this.#time === time) return this.#expected
    this.drop()
    this.#time = time
    this.#expected = this.#state.fork()
    this.#expected.releaseUntil(time)
    return this.#expected
  }

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
