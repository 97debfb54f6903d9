import { lowerBound, type Topology } from '@cloister/topology'

/**
 * Ids of nodes, and of links for each level (`links[0]`: uplinks of leaves), strictly ascending. `links` may omit upper
 * levels without links.
 */
export interface Resources {
  readonly nodes: ArrayLike<number>
  readonly links: ReadonlyArray<ArrayLike<number>>
}

/** Nodes and links that a running job holds. */
export interface Allocation extends Resources {
  readonly job: string
  /** Node of each rank. Undefined if the order of the ranks does not matter. */
  readonly ranks?: ArrayLike<number>
  /** Bandwidth that the job holds on each of `links`, in MB/s; undefined unless the policy claims `capped` links. */
  readonly bandwidth?: number
  /** True if the job is communication-intensive: its request has `communication`. */
  readonly communicates?: boolean
  /** Instant at which the scheduler expects the job to end, in integer milliseconds. */
  readonly estimatedEnd: number
  /** Position of the job's start among all starts; orders jobs with equal estimated ends. */
  readonly startOrder: number
}

/** Error for a wrong use of a state, such as taking a node that is not free. The state is unusable after the error. */
export class StateError extends Error {
  readonly _tag = 'StateError'
}

/** Returns true if job `a` has the earlier estimated end or, with equal estimated ends, started before `b`. */
function endsBefore(a: Allocation, b: Allocation): boolean {
  return a.estimatedEnd !== b.estimatedEnd ? a.estimatedEnd < b.estimatedEnd : a.startOrder < b.startOrder
}

/** Returns the index at which a list in the order of `endsBefore` has, or would have, an allocation. */
function positionOf(running: ReadonlyArray<Allocation>, allocation: Allocation): number {
  return lowerBound(running.length, (at) => endsBefore(running[at], allocation))
}

export function insertJob(running: Array<Allocation>, allocation: Allocation): void {
  running.splice(positionOf(running, allocation), 0, allocation)
}

/** @throws StateError if the job is not in the list */
export function removeJob(running: Array<Allocation>, allocation: Allocation): void {
  const at = positionOf(running, allocation)
  if (running[at] !== allocation) throw new StateError(`job ${allocation.job} is not running`)
  running.splice(at, 1)
}

export function copyJobs(from: ReadonlyArray<Allocation>, into: Array<Allocation>): void {
  into.length = from.length
  for (let i = 0; i < from.length; i++) into[i] = from[i]!
}

/** Returns true if two lists have jobs with equal ids and estimated ends in equal order. */
export function areSameJobs(some: ReadonlyArray<Allocation>, others: ReadonlyArray<Allocation>): boolean {
  return (
    some.length === others.length &&
    some.every(({ job, estimatedEnd }, at) => job === others[at].job && estimatedEnd === others[at].estimatedEnd)
  )
}

/**
 * Allocation of each node and link of a state, and latest estimated end of the jobs on each leaf. On a fork for a later
 * instant, the map also has the jobs that were released before their ends. A state builds the map at the first call
 * that needs it, and then updates the map.
 */
export class AllocationMap {
  /** If false, the map does not agree with the state, which builds the map again before the next use. */
  isCurrent = false
  readonly #topology: Topology
  /** If true, the map has no entries of links, because several jobs may share a link. */
  readonly #areLinksShared: boolean
  /** Allocations by their numbers in this map. Number 0 stands for no allocation. */
  readonly #allocations: Array<Allocation | undefined> = [undefined]
  /** Number of the allocation of each node, then of each link; 0 without allocation. A single array is fast to copy. */
  readonly #cells: Uint16Array | Uint32Array
  readonly #nodes: Uint16Array | Uint32Array
  readonly #links: ReadonlyArray<Uint16Array | Uint32Array>
  /** Latest estimated end of the jobs on each leaf, in ms; NaN until a policy asks, and after changes of the jobs. */
  readonly #lastOnLeaf: Float64Array
  /** True if a job has overwritten nodes or links of a second job, which a fork had released before its end. */
  #isOverwritten = false

  constructor(topology: Topology, areLinksShared: boolean) {
    this.#topology = topology
    this.#areLinksShared = areLinksShared
    const counts = [topology.nodes, ...topology.levels.map(({ links }) => links)]
    const cells = counts.reduce((sum, count) => sum + count, 0)
    this.#cells = cells < 65_535 ? new Uint16Array(cells) : new Uint32Array(cells)
    let taken = 0
    const [nodes, ...links] = counts.map((count) => this.#cells.subarray(taken, (taken += count)))
    this.#nodes = nodes!
    this.#links = links
    this.#lastOnLeaf = new Float64Array(topology.leaves)
  }

  build(allocations: ReadonlyArray<Allocation>): void {
    this.#allocations.length = 1
    this.#cells.fill(0)
    this.#lastOnLeaf.fill(NaN)
    for (const allocation of allocations) this.add(allocation)
    this.#isOverwritten = false
    this.isCurrent = true
  }

  copy(from: AllocationMap): void {
    this.isCurrent = from.isCurrent
    if (!from.isCurrent) return
    this.#allocations.length = from.#allocations.length
    for (let i = 0; i < from.#allocations.length; i++) this.#allocations[i] = from.#allocations[i]
    this.#cells.set(from.#cells)
    this.#lastOnLeaf.set(from.#lastOnLeaf)
    this.#isOverwritten = from.#isOverwritten
  }

  add(allocation: Allocation): void {
    const unused = this.#allocations.indexOf(undefined, 1)
    const number = unused < 0 ? this.#allocations.length : unused
    this.#allocations[number] = allocation
    this.#mark(allocation, number, false)
  }

  remove(allocation: Allocation): void {
    if (this.#isOverwritten) this.isCurrent = false
    if (!this.isCurrent) return
    const number = this.#allocations.indexOf(allocation)
    this.#mark(allocation, 0, true)
    this.#allocations[number] = undefined
  }

  replace(allocation: Allocation, changed: Allocation): void {
    this.#allocations[this.#allocations.indexOf(allocation)] = changed
    this.#forgetLeaves(allocation)
  }

  lastEndOnLeaf(leaf: number): number {
    const known = this.#lastOnLeaf[leaf]
    if (!Number.isNaN(known)) return known
    const { firstNodeOfLeaf } = this.#topology
    let last = 0
    for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++) {
      const allocation = this.#allocations[this.#nodes[node]]
      if (allocation !== undefined && allocation.estimatedEnd > last) last = allocation.estimatedEnd
    }
    this.#lastOnLeaf[leaf] = last
    return last
  }

  endOfLink(level: number, link: number): number {
    if (!this.#areLinksShared) return this.#allocations[this.#links[level][link]]?.estimatedEnd ?? 0
    let last = 0
    for (const allocation of this.#allocations) {
      const links = allocation?.links[level] ?? []
      const at = lowerBound(links.length, (i) => links[i] < link)
      if (links[at] === link) last = Math.max(last, allocation!.estimatedEnd)
    }
    return last
  }

  /** Returns false if a running job, or a job that this fork released before its end, holds the node. */
  isUnallocated(node: number): boolean {
    return this.#nodes[node] === 0
  }

  #mark(allocation: Allocation, number: number, mayReplace: boolean): void {
    this.#forgetLeaves(allocation)
    this.#markAll(this.#nodes, allocation.nodes, number, mayReplace)
    if (this.#areLinksShared) return
    for (let level = 0; level < allocation.links.length; level++)
      this.#markAll(this.#links[level], allocation.links[level], number, mayReplace)
  }

  #markAll(numbers: Uint16Array | Uint32Array, ids: ArrayLike<number>, number: number, mayReplace: boolean): void {
    for (let i = 0; i < ids.length; i++) {
      if (!mayReplace && numbers[ids[i]] !== 0) this.#isOverwritten = true
      numbers[ids[i]] = number
    }
  }

  #forgetLeaves({ nodes }: Allocation): void {
    const { leafOfNode } = this.#topology
    for (let i = 0; i < nodes.length; i++) this.#lastOnLeaf[leafOfNode[nodes[i]]] = NaN
  }
}
