import type { Topology } from '@cloister/topology'
import type { Allocation, Resources } from './allocation.ts'
import { AllocationMap } from './allocation-map.ts'
import { popcount } from './bits.ts'
import { allFree, Masks, noneBlocked, type Operation } from './masks.ts'
import { type IdLayout, idLayouts, KnownMasks, MASKED, type MaskedIds } from './resource-masks.ts'
import { areSameJobs, copyJobs, insertJob, removeJob } from './running-jobs.ts'
import { StateError } from './state-error.ts'
import { cellCount, type StateOptions, type Withheld } from './state-options.ts'
import { Touched } from './touched.ts'
import type { StateView } from './view.ts'

interface Family<Index> {
  readonly pool: Array<ClusterState<Index>>
  /** Layout of the nodes, then of the links of each level. */
  readonly layouts: ReadonlyArray<IdLayout>
  readonly masks: KnownMasks
}

function familyOf<Index>(topology: Topology): Family<Index> {
  const layouts = idLayouts(topology)
  return { pool: [], layouts, masks: new KnownMasks(layouts) }
}

/**
 * State of the nodes and links of a cluster. A node or link is held by a job, blocked (down, or withheld for a
 * reservation), or free. A held node or link can be blocked at the same time; it is still not free after its job ends.
 * `fork()` copies the whole state into a dropped fork, if there is one, without new memory: a single array holds all
 * masks and counters.
 *
 * The caller must not change the arrays of allocations and placements after passing them to a state.
 */
export class ClusterState<Index = undefined> implements StateView {
  readonly topology: Topology
  readonly index: Index
  readonly running: Array<Allocation> = []
  /** Jobs that this fork released before their ends; empty on the origin. */
  readonly #ahead: Array<Allocation> = []
  /** Allocation of each node and link; undefined until a policy first needs it (`#currentMap`). */
  #allocationMap: AllocationMap | undefined
  readonly #options: StateOptions<Index>
  readonly #family: Family<Index>
  /** Memory of all fields from `#nodes` to `#total`: one copy of this array copies all fields. */
  readonly #cells: Int32Array
  readonly #nodes: Masks
  readonly #ports: ReadonlyArray<Masks>
  /** Bandwidth in use on each link of each level, in MB/s; empty if links are not capped. */
  readonly #used: ReadonlyArray<Int32Array>
  readonly #freeOnLeaf: Int32Array
  readonly #freePortsOfLeaf: Int32Array
  readonly #whole: Int32Array
  readonly #communicatingOnLeaf: Int32Array
  readonly #freeInPod: Int32Array
  readonly #wholeInPod: Int32Array
  readonly #total: Int32Array
  /** True for a fork in use; false for the origin and for forks in the pool. */
  #lent: boolean
  readonly #touchedLeaves: Touched
  readonly #touchedL2: Touched

  constructor(topology: Topology, options: StateOptions<Index> = {}, origin?: ClusterState<Index>) {
    const { leaves, pods, levels } = topology
    this.topology = topology
    this.#options = options
    this.#family = origin === undefined ? familyOf(topology) : origin.#family
    this.#lent = origin !== undefined
    const capped = (options.linkCapacity ?? 0) > 0
    this.#cells = new Int32Array(cellCount(topology, this.#family.layouts, capped))
    let taken = 0
    const take = (length: number): Int32Array => this.#cells.subarray(taken, (taken += length))
    const [nodes, ...ports] = this.#family.layouts.map((layout) => new Masks(layout, take))
    this.#nodes = nodes!
    this.#ports = ports
    this.#used = capped ? levels.map(({ links }) => take(links)) : []
    this.#freeOnLeaf = take(leaves)
    this.#freePortsOfLeaf = take(leaves)
    this.#whole = take(leaves)
    this.#communicatingOnLeaf = take(leaves)
    this.#freeInPod = take(pods)
    this.#wholeInPod = take(pods)
    this.#total = take(1)
    this.#touchedLeaves = new Touched(leaves)
    this.#touchedL2 = new Touched(levels[1]?.switches ?? 0)
    if (origin === undefined) this.#clear()
    else this.#cells.set(origin.#cells)
    this.index = options.index === undefined ? (undefined as Index) : options.index.build(this)
  }

  /** Bandwidth that all jobs together may hold on one link, in MB/s; 0 if one job owns a link alone. */
  get linkCapacity(): number {
    return this.#options.linkCapacity ?? 0
  }

  /** Returns true if two states of one topology have equal masks and counters, and jobs with equal ids and ends. */
  isEqual(other: ClusterState<Index>): boolean {
    return (
      areSameJobs(this.running, other.running) &&
      areSameJobs(this.#ahead, other.#ahead) &&
      this.#cells.length === other.#cells.length &&
      this.#cells.every((cell, at) => cell === other.#cells[at])
    )
  }

  communicatingNodesOnLeaf(leaf: number): number {
    return this.#communicatingOnLeaf[leaf]
  }
  lastEndOnLeaf(leaf: number): number {
    return this.#currentMap().lastEndOnLeaf(leaf)
  }
  endOfLink(level: number, link: number): number {
    return this.#currentMap().endOfLink(level, link)
  }
  freeNodesAtDecision(leaf: number): number {
    if (this.#ahead.length === 0) return this.#freeOnLeaf[leaf]
    const allocations = this.#currentMap()
    const { firstNodeOfLeaf } = this.topology
    let free = 0
    for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++)
      if (allocations.isUnallocated(node) && this.isNodeFree(node)) free++
    return free
  }
  get freeNodes(): number {
    return this.#total[0]
  }
  freeNodesOnLeaf(leaf: number): number {
    return this.#freeOnLeaf[leaf]
  }
  freeNodesInPod(pod: number): number {
    return this.#freeInPod[pod]
  }
  wholeLeavesInPod(pod: number): number {
    return this.#wholeInPod[pod]
  }
  nodeMask(leaf: number, word: number): number {
    return this.#nodes.free[leaf * this.#nodes.layout.words + word]
  }
  portMask(level: number, sw: number, word: number): number {
    const ports = this.#ports[level]
    return ports.free[sw * ports.layout.words + word]
  }
  isNodeFree(node: number): boolean {
    return this.#nodes.has(this.#nodes.free, node)
  }
  isLinkFree(level: number, link: number): boolean {
    return this.#ports[level].has(this.#ports[level].free, link)
  }

  freeNodeIds(leaf: number, out: Int32Array, offset = 0): number {
    const first = this.topology.firstNodeOfLeaf[leaf]
    let at = offset
    for (let word = 0; word < this.#nodes.layout.words; word++) {
      for (let mask = this.nodeMask(leaf, word); mask !== 0; mask &= mask - 1) {
        out[at++] = first + (word << 5) + 31 - Math.clz32(mask & -mask)
      }
    }
    return at - offset
  }

  capacityLeft(level: number, link: number): number {
    const ports = this.#ports[level]
    if (ports.has(ports.blocked, link)) return 0
    return (this.#options.linkCapacity ?? 0) - (this.#used[level]?.[link] ?? 0)
  }

  busyNodesOnLeaf(leaf: number): number {
    const {
      held,
      layout: { words },
    } = this.#nodes
    let busy = 0
    for (let word = leaf * words; word < (leaf + 1) * words; word++) busy += popcount(held[word])
    return busy
  }

  /**
   * Returns true if all nodes of `resources` are free, and all its links are free or, if `bandwidth` is given, have at
   * least `bandwidth` MB/s left.
   */
  isFree(resources: Resources, bandwidth?: number): boolean {
    const { nodes, links } = this.#family.masks.of(resources)
    if (!allFree(this.#nodes, nodes)) return false
    if (bandwidth === undefined) return links.every((ids, level) => allFree(this.#ports[level], ids))
    return resources.links.every((ids, level) =>
      Array.from(ids).every((link) => this.capacityLeft(level, link) >= bandwidth),
    )
  }

  /** Returns true if no node or link of `resources` is down or, on a fork, withheld. */
  isUp(resources: Resources): boolean {
    const { nodes, links } = this.#family.masks.of(resources)
    return noneBlocked(this.#nodes, nodes) && links.every((ids, level) => noneBlocked(this.#ports[level], ids))
  }

  /** Declares that an allocation has the nodes and links of a placement: the state then reads the ids only once. */
  knowAlike(placement: Resources, allocation: Allocation): void {
    this.#family.masks.share(placement, allocation)
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
    if (!this.#lent) this.#family.masks.forget(allocation)
  }

  /** Releases on a fork the `count` jobs that are expected to end first. */
  releaseFirst(count: number): void {
    if (count === 0) return
    this.#takeBackFirst(count)
    this.#settle()
  }

  #takeBackFirst(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#changeResources('release', this.running[i], this.running[i].bandwidth)
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
    for (const resources of all) this.#changeResources('withhold', resources, resources.bandwidth)
    this.#settle()
  }

  /**
   * Unblocks the nodes and links of `of` on a fork, then blocks those of `reserved`. No node or link of `of` may be
   * down, and links must not be capped.
   */
  withholdInstead(of: ReadonlyArray<Resources>, reserved: ReadonlyArray<Resources>): void {
    for (const resources of of) this.#changeResources('restore', resources, undefined)
    this.withholdAll(reserved)
  }

  /**
   * Withholds a reservation on a fork of a state with capped links. The reserved nodes are then blocked. A reserved
   * link then has the smaller of two bandwidths left: now, and beside the reservation in `later`, the state expected at
   * its start. Jobs that hold bandwidth now may have ended in `later`.
   */
  withholdReservation(resources: Resources, bandwidth: number, later: ClusterState<Index>): void {
    this.#changeNodes('withhold', this.#family.masks.of(resources).nodes)
    resources.links.forEach((links, level) => {
      for (let i = 0; i < links.length; i++) {
        const more = later.#used[level][links[i]] + bandwidth - this.#used[level][links[i]]
        if (more > 0) this.#changeUse('withhold', level, links[i], more)
      }
    })
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
    const changed = { ...allocation, estimatedEnd }
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
      this.#family.masks.keep(changed)
      this.#family.masks.forget(allocation)
    }
    if (this.#allocationMap?.isCurrent === true) this.#allocationMap.replace(allocation, changed)
  }

  /** Returns an equal state for experiments. The caller gives the fork back by `drop()`. */
  fork(): ClusterState<Index> {
    const pooled = this.#family.pool.pop()
    const fork = pooled ?? new ClusterState<Index>(this.topology, this.#options, this)
    copyJobs(this.running, fork.running)
    copyJobs(this.#ahead, fork.#ahead)
    this.#copyAllocationMap(fork)
    if (pooled === undefined) return fork
    fork.#lent = true
    fork.#cells.set(this.#cells)
    if (this.#options.index !== undefined) this.#options.index.copy(this.index, fork.index)
    return fork
  }

  /** Gives this fork back to the pool. @throws StateError if this state is the origin, or was dropped before */
  drop(): void {
    if (!this.#lent) throw new StateError('only a fork can be dropped, and only once')
    this.#lent = false
    this.#family.pool.push(this)
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
    if (!this.#lent) this.#family.masks.keep(allocation)
  }

  #clear(): void {
    const { leaves, firstNodeOfLeaf, levels, nodes, podOfLeaf } = this.topology
    this.#nodes.clear()
    for (const ports of this.#ports) ports.clear()
    this.#total[0] = nodes
    for (let leaf = 0; leaf < leaves; leaf++) {
      const count = firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
      this.#freeOnLeaf[leaf] = count
      this.#freeInPod[podOfLeaf[leaf]] += count
      this.#freePortsOfLeaf[leaf] = levels[0].firstPort[leaf + 1] - levels[0].firstPort[leaf]
      this.#settleWhole(leaf)
    }
  }

  #change(operation: Operation, resources: Resources, bandwidth: number | undefined): void {
    this.#changeResources(operation, resources, bandwidth)
    this.#settle()
  }

  #changeResources(
    operation: Operation,
    resources: Resources & { readonly communicates?: boolean },
    bandwidth: number | undefined,
  ): void {
    const { nodes, links } = this.#family.masks.of(resources)
    this.#changeNodes(operation, nodes)
    if (resources.communicates === true) this.#changeCommunicating(operation === 'release' ? -1 : 1, nodes)
    for (let level = 0; level < links.length; level++) {
      if (bandwidth === undefined) this.#changeLinks(operation, level, links[level])
      else this.#changeBandwidth(operation, level, resources.links[level], bandwidth)
    }
  }

  /** Updates the index and the counters of leaves with all nodes and uplinks free, once, at the end of an operation. */
  #settle(): void {
    const leaves = this.#touchedLeaves.take()
    for (let i = 0; i < leaves.length; i++) this.#settleWhole(leaves[i])
    this.#options.index?.changed(this.index, this, leaves, this.#touchedL2.take())
  }

  #changeNodes(operation: Operation, ids: MaskedIds): void {
    const { podOfLeaf } = this.topology
    for (let i = 0; i < ids.length; i += MASKED) {
      const leaf = ids[i]
      const change = this.#nodes.change(ids[i + 1], ids[i + 2], ids[i + 3], operation)
      this.#freeOnLeaf[leaf] += change
      this.#freeInPod[podOfLeaf[leaf]] += change
      this.#total[0] += change
      this.#touchedLeaves.add(leaf)
    }
  }

  #changeCommunicating(sign: number, ids: MaskedIds): void {
    for (let i = 0; i < ids.length; i += MASKED) this.#communicatingOnLeaf[ids[i]] += sign * ids[i + 3]
  }

  #changeLinks(operation: Operation, level: number, ids: MaskedIds): void {
    const ports = this.#ports[level]
    for (let i = 0; i < ids.length; i += MASKED) {
      const change = ports.change(ids[i + 1], ids[i + 2], ids[i + 3], operation)
      if (level === 0) this.#freePortsOfLeaf[ids[i]] += change
      this.#touchSwitch(level, ids[i])
    }
  }

  #changeBandwidth(operation: Operation, level: number, links: ArrayLike<number>, bandwidth: number): void {
    if (this.#used[level] === undefined)
      throw new StateError('bandwidth is held on links, but this state has no link capacity')
    for (let i = 0; i < links.length; i++) this.#changeUse(operation, level, links[i], bandwidth)
  }

  /**
   * In the masks, a capped link is free if none of its bandwidth is in use. @throws StateError if the link has too
   * little bandwidth left or in use
   */
  #changeUse(operation: Operation, level: number, link: number, bandwidth: number): void {
    const { switchOf, first, words } = this.#family.layouts[level + 1]
    const used = this.#used[level]
    const before = used[link]
    const after = before + (operation === 'release' ? -bandwidth : bandwidth)
    if (after < 0 || (operation === 'apply' && this.capacityLeft(level, link) < bandwidth)) {
      throw new StateError(
        `level-${level} link ${link} cannot ${operation} ${bandwidth} MB/s: ${before} MB/s are in use`,
      )
    }
    used[link] = after
    const sw = switchOf[link]
    const bit = link - first[sw]
    const single = [sw, sw * words + (bit >>> 5), 1 << (bit & 31), 1]
    if (before === 0 && after > 0) this.#changeLinks('occupy', level, single)
    else if (after === 0 && before > 0) this.#changeLinks('release', level, single)
    else this.#touchSwitch(level, sw)
  }

  #touchSwitch(level: number, sw: number): void {
    if (level === 0) this.#touchedLeaves.add(sw)
    else if (level === 1) this.#touchedL2.add(sw)
  }

  #settleWhole(leaf: number): void {
    const { firstNodeOfLeaf, levels, podOfLeaf } = this.topology
    const { firstPort } = levels[0]
    const whole =
      this.#freeOnLeaf[leaf] === firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf] &&
      this.#freePortsOfLeaf[leaf] === firstPort[leaf + 1] - firstPort[leaf]
        ? 1
        : 0
    this.#wholeInPod[podOfLeaf[leaf]] += whole - this.#whole[leaf]
    this.#whole[leaf] = whole
  }
}
