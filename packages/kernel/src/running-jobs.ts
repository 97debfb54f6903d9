import {
  type Allocation,
  type ClusterState,
  FromMasks,
  MaskedAllocation,
  type Placement,
  StateError,
} from '@cloister/placement'
import type { Jobs } from '@cloister/workload'
import type { GuardedPolicy } from './guarded-policy.ts'
import { grown } from './waiting-jobs.ts'

/** A job past its estimate is expected to end this long after the current scheduling pass, in milliseconds. */
export const OVERRUN_GRACE_MS = 1000

/** Allocations of the running jobs. A start or an end changes the state of the cluster and the guard of the policy. */
export class RunningJobs<Index> {
  /** Number of starts so far. */
  starts = 0
  readonly #jobs: Jobs
  readonly #state: ClusterState<Index>
  readonly #policy: GuardedPolicy<Index>
  readonly #allocations: Array<Allocation | undefined>
  /** Seq of each job's last allocate record. */
  #seqs: Float64Array
  #jobOfStart: Int32Array

  constructor(jobs: Jobs, state: ClusterState<Index>, policy: GuardedPolicy<Index>) {
    this.#jobs = jobs
    this.#state = state
    this.#policy = policy
    this.#allocations = new Array<Allocation | undefined>(jobs.length).fill(undefined)
    this.#seqs = new Float64Array(jobs.length)
    this.#jobOfStart = new Int32Array(jobs.length + 1)
  }

  has(job: number): boolean {
    return this.#allocations[job] !== undefined
  }

  /** Returns the allocation of a running job; undefined for any other job. */
  get(job: number): Allocation | undefined {
    return this.#allocations[job]
  }

  jobOf(allocation: Allocation): number {
    return this.#jobOfStart[allocation.startOrder]
  }

  /** Returns the seq of the job's last allocate record. */
  seqOf(job: number): number {
    return this.#seqs[job]
  }

  setSeq(job: number, seq: number): void {
    this.#seqs = grown(this.#seqs, job)
    this.#seqs[job] = seq
  }

  /** Returns the allocation of the job if the job started now. @param estimatedEnd expected end, integer milliseconds */
  allocationOf(job: number, placement: Placement, estimatedEnd: number): Allocation {
    const { bandwidth } = placement
    const { id, communication } = this.#jobs.at(job)!
    const communicates = communication !== undefined
    if (placement instanceof FromMasks)
      return new MaskedAllocation(placement.masks, {
        job: id,
        communicates,
        estimatedEnd,
        startOrder: this.starts,
        bandwidth,
      })
    const { nodes, links } = placement
    const allocation =
      bandwidth === undefined
        ? { job: id, nodes, links, communicates, estimatedEnd, startOrder: this.starts }
        : { job: id, nodes, links, communicates, estimatedEnd, startOrder: this.starts, bandwidth }
    this.#state.knowAlike(placement, allocation)
    return allocation
  }

  /** @throws PolicyFaultError if a node or link of the allocation is not free */
  start(job: number, allocation: Allocation, checksum: number): void {
    this.tryOut(this.#state, allocation)
    this.#policy.start(job, allocation, checksum)
    this.#allocations[job] = allocation
    this.#jobOfStart = grown(this.#jobOfStart, this.starts)
    this.#jobOfStart[this.starts++] = job
  }

  /** Returns true if all nodes and links of a placement exist and are free. */
  canStartOn(placement: Placement): boolean {
    return this.#state.masksOf(placement) !== undefined && this.#state.isFree(placement, placement.bandwidth)
  }

  /** Starts a job in a state or a fork. @throws PolicyFaultError if a node or link of the allocation is not free */
  tryOut(state: ClusterState<Index>, allocation: Allocation): void {
    try {
      state.apply(allocation)
    } catch (error) {
      if (!(error instanceof StateError)) throw error
      throw this.#policy.fault('placement', `gave job ${allocation.job} a placement that is not free: ${error.message}`)
    }
  }

  /** Returns the allocation of a job that ends. @throws PolicyFaultError if the policy wrote to the allocation */
  ending(job: number): Allocation {
    const allocation = this.#allocations[job]!
    this.#policy.end(job, allocation)
    return allocation
  }

  /** Frees the allocation that `ending` returned. */
  release(job: number, allocation: Allocation): void {
    this.#state.release(allocation)
    this.#allocations[job] = undefined
  }

  /**
   * Moves the expected ends up to `now` to the time `until`, both in integer milliseconds, and calls `onExtended` for
   * each moved end.
   */
  extend(now: number, until: number, onExtended: (former: Allocation, extended: Allocation) => void): void {
    const { running } = this.#state
    while (running.length > 0 && running[0].estimatedEnd <= now) {
      const allocation = running[0]
      const extended = this.#state.reestimate(allocation, until)
      this.#allocations[this.jobOf(allocation)] = extended
      onExtended(allocation, extended)
    }
  }
}
