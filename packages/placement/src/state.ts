import type { Topology } from '@cloister/topology'
import {
  type Allocation,
  AllocationMap,
  areSameJobs,
  copyJobs,
  insertJob,
  removeJob,
  type Resources,
  StateError,
} from './allocations.ts'
import type { IndexHooks } from './contract.ts'
import { MaskedAllocation } from './masked-placement.ts'
import type { StateView } from './view.ts'
import type { Operation } from './masks.ts'
import { FreeResources, type Withheld } from './resources.ts'

/** Options of `ClusterState`: the functions of a policy's index, and the capacity of shared links. */
export interface StateOptions<Index> {
  readonly index?: IndexHooks<Index> | undefined
  /** Bandwidth that all jobs together may hold on one link, in MB/s. At 0, the default, one job owns a link alone. */
  readonly linkCapacity?: number
}

/**
 * State of the nodes and links of a cluster, with the running jobs. `fork()` copies the whole state into a dropped
 * fork, if there is one, without new memory.
 *
 * The caller must not change the arrays of allocations and placements after passing them to a state.
 */
export class ClusterState<Index = undefined> extends FreeResources implements StateView {
  readonly index: Index
  readonly running: Array<Allocation> = []
  readonly #ahead: Array<Allocation> = []
  readonly #origin: ClusterState<Index>
  /** Allocation of each node and link; undefined until a policy first needs it (`#currentMap`). */
  #allocationMap: AllocationMap | undefined
  readonly #options: StateOptions<Index>
  /** Dropped forks, which the origin and all its forks share. */
  readonly #pool: Array<ClusterState<Index>>
  /** True for a fork in use; false for the origin and for forks in the pool. */
  #lent: boolean

  constructor(topology: Topology, options: StateOptions<Index> = {}, origin?: ClusterState<Index>) {
    super(topology, options.linkCapacity ?? 0, origin)
    this.#options = options
    this.#origin = origin === undefined ? this : origin.#origin
    this.#pool = origin === undefined ? [] : origin.#pool
    this.#lent = origin !== undefined
    this.index = options.index === undefined ? (undefined as Index) : options.index.build(this)
  }

  /** State from which this fork was made, directly or through other forks; the state itself if it is no fork. */
  get origin(): ClusterState<Index> {
    return this.#origin
  }
  /** Jobs that this fork released before their ends; empty on the origin. */
  get ahead(): ReadonlyArray<Allocation> {
    return this.#ahead
  }

  /** Returns true if two states of one topology have equal masks and counters, and jobs with equal ids and ends. */
  isEqual(other: ClusterState<Index>): boolean {
    return (
      areSameJobs(this.running, other.running) && areSameJobs(this.#ahead, other.#ahead) && this.hasEqualCells(other)
    )
  }

  lastEndOnLeaf(leaf: number): number {
    return this.#currentMap().lastEndOnLeaf(leaf)
  }
  endOfLink(level: number, link: number): number {
    return this.#currentMap().endOfLink(level, link)
  }
  freeNodesAtDecision(leaf: number): number {
    if (this.#ahead.length === 0) return this.freeNodesOnLeaf(leaf)
    const allocations = this.#currentMap()
    const { firstNodeOfLeaf } = this.topology
    let free = 0
    for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++)
      if (allocations.isUnallocated(node) && this.isNodeFree(node)) free++
    return free
  }

  /** Declares that an allocation has the nodes and links of a placement: the state then reads the ids only once. */
  knowAlike(placement: Resources, allocation: Allocation): void {
    this.masks.share(placement, allocation)
  }

  /** Starts a job on free nodes and links. @throws StateError if a node or link is not free */
  apply(allocation: Allocation): void {
    this.#give('apply', allocation)
  }

  /** Starts a job on a fork, on nodes and links that need not be free: the job has just started on the origin. */
  occupy(allocation: Allocation): void {
    this.#give('occupy', allocation)
  }

  /** Ends a job. @throws StateError if the job does not run, or does not hold the nodes and links of its allocation */
  release(allocation: Allocation): void {
    removeJob(this.running, allocation)
    if (this.#allocationMap?.isCurrent === true) this.#allocationMap.remove(allocation)
    this.#change('release', allocation, allocation.bandwidth)
    if (!this.#lent) this.masks.forget(allocation)
  }

  /** Releases on a fork the `count` jobs that are expected to end first. */
  releaseFirst(count: number): void {
    if (count === 0) return
    this.#takeBackFirst(count)
    this.#settle()
  }

  #takeBackFirst(count: number): void {
    for (let i = 0; i < count; i++) {
      this.changeResources('release', this.running[i], this.running[i].bandwidth)
      this.#ahead.push(this.running[i])
    }
    this.running.splice(0, count)
  }

  /** Counts a job that has just started on the origin as released on this fork for an instant after its end. */
  willHaveEnded(allocation: Allocation): void {
    insertJob(this.#ahead, allocation)
    if (this.#allocationMap?.isCurrent === true) this.#allocationMap.add(allocation)
  }

  /** Forgets a released job, which has now ended. @throws StateError if the fork has not released the job before */
  hasEnded(allocation: Allocation): void {
    const at = this.#ahead.indexOf(allocation)
    if (at < 0) throw new StateError(`job ${allocation.job} was not released before its end on this fork`)
    this.#ahead.splice(at, 1)
    if (this.#allocationMap?.isCurrent === true) this.#allocationMap.remove(allocation)
  }

  /** Releases on a fork all jobs that are expected to end by `time`, then withholds the given reservations. */
  releaseUntil(time: number, reserved: ReadonlyArray<Withheld> = []): void {
    const later = this.running.findIndex(({ estimatedEnd }) => estimatedEnd > time)
    this.#takeBackFirst(later < 0 ? this.running.length : later)
    this.withholdAll(reserved)
  }

  /** Blocks nodes and links, free or held, on a fork for a reservation. */
  withhold(resources: Resources, bandwidth?: number): void {
    this.#change('withhold', resources, bandwidth)
  }

  /** Blocks the nodes and links of several reservations on a fork. */
  withholdAll(all: ReadonlyArray<Withheld>): void {
    for (const resources of all) this.changeResources('withhold', resources, resources.bandwidth)
    this.#settle()
  }

  /**
   * Unblocks the nodes and links of `of` on a fork, then blocks those of `reserved`. No node or link of `of` may be
   * down, and links must not be capped.
   */
  withholdInstead(of: ReadonlyArray<Resources>, reserved: ReadonlyArray<Resources>): void {
    for (const resources of of) this.changeResources('restore', resources, undefined)
    this.withholdAll(reserved)
  }

  /**
   * Withholds a reservation on a fork of a state with capped links. The reserved nodes are then blocked. A reserved
   * link then has the smaller of two bandwidths left: now, and beside the reservation in `later`, the state expected at
   * its start. Jobs that hold bandwidth now may have ended in `later`.
   */
  withholdReservation(resources: Resources, bandwidth: number, later: ClusterState<Index>): void {
    this.withholdBeside(resources, bandwidth, later)
    this.#settle()
  }

  /** Marks nodes and links as down. A job keeps its failed nodes and links until its release. */
  fail(resources: Resources): void {
    this.#change('fail', resources, undefined)
  }

  /** Marks nodes and links as up again. */
  restore(resources: Resources): void {
    this.#change('restore', resources, undefined)
  }

  /** Changes the estimated end of a running job, and returns the job's new allocation. */
  reestimate(allocation: Allocation, estimatedEnd: number): Allocation {
    const changed = withEnd(allocation, estimatedEnd)
    this.replace(allocation, changed)
    return changed
  }

  /**
   * Replaces a running job's allocation by one with the same nodes and links. On a fork, `changed` is the result of
   * `reestimate` on the origin.
   */
  replace(allocation: Allocation, changed: Allocation): void {
    removeJob(this.running, allocation)
    insertJob(this.running, changed)
    if (!this.#lent) {
      this.masks.keep(changed)
      this.masks.forget(allocation)
    }
    if (this.#allocationMap?.isCurrent === true) this.#allocationMap.replace(allocation, changed)
  }

  /** Returns an equal state for experiments. The caller gives the fork back by `drop()`. */
  fork(): ClusterState<Index> {
    const pooled = this.#pool.pop()
    const fork = pooled ?? new ClusterState<Index>(this.topology, this.#options, this)
    copyJobs(this.running, fork.running)
    copyJobs(this.#ahead, fork.#ahead)
    this.#copyAllocationMap(fork)
    if (pooled === undefined) return fork
    fork.#lent = true
    fork.copyCells(this)
    if (this.#options.index !== undefined) this.#options.index.copy(this.index, fork.index)
    return fork
  }

  /** Gives this fork back to the pool. @throws StateError if this state is the origin, or was dropped before */
  drop(): void {
    if (!this.#lent) throw new StateError('only a fork can be dropped, and only once')
    this.#lent = false
    this.#pool.push(this)
  }

  #copyAllocationMap(fork: ClusterState<Index>): void {
    if (this.#allocationMap?.isCurrent === true) {
      fork.#allocationMap ??= new AllocationMap(this.topology, this.linkCapacity > 0)
      fork.#allocationMap.copy(this.#allocationMap)
    } else if (fork.#allocationMap !== undefined) fork.#allocationMap.isCurrent = false
  }

  #currentMap(): AllocationMap {
    this.#allocationMap ??= new AllocationMap(this.topology, this.linkCapacity > 0)
    if (!this.#allocationMap.isCurrent) this.#allocationMap.build([...this.#ahead, ...this.running])
    return this.#allocationMap
  }

  #give(operation: 'apply' | 'occupy', allocation: Allocation): void {
    insertJob(this.running, allocation)
    if (this.#allocationMap?.isCurrent === true) this.#allocationMap.add(allocation)
    this.#change(operation, allocation, allocation.bandwidth)
    if (!this.#lent) this.masks.keep(allocation)
  }

  #change(operation: Operation, resources: Resources, bandwidth: number | undefined): void {
    this.changeResources(operation, resources, bandwidth)
    this.#settle()
  }

  /** Updates counters and the index, once at the end of an operation. */
  #settle(): void {
    const leaves = this.settleLeaves()
    this.#options.index?.changed(this.index, this, leaves, this.takeChangedL2())
  }
}

function withEnd(allocation: Allocation, estimatedEnd: number): Allocation {
  if (!(allocation instanceof MaskedAllocation)) return { ...allocation, estimatedEnd }
  const { masks, job, communicates, startOrder, bandwidth } = allocation
  return new MaskedAllocation(masks, { job, communicates, estimatedEnd, startOrder, bandwidth })
}
