import { lowerBound, type Topology } from '@cloister/topology'
import type { Allocation } from './allocation.ts'

/**
 * Which job holds each node and link and so when it is expected to be free, also of what a fork took back ahead of time. Made when a
 * policy first asks, and from then on kept with every change.
 */
export class Holders {
  /** Whether it is in step with its state; else it is made anew when asked. */
  isCurrent = false
  readonly #topology: Topology
  /** Links are shared by several jobs, and not kept here. */
  readonly #areLinksShared: boolean
  /** Jobs by number; 0 is none. */
  readonly #jobs: Array<Allocation | undefined> = [undefined]
  /** The number of the holder of each node, and of the links of each level; one array, so that a copy is one call. */
  readonly #cells: Uint16Array | Uint32Array
  readonly #nodes: Uint16Array | Uint32Array
  readonly #links: ReadonlyArray<Uint16Array | Uint32Array>
  /** NaN where it has to be computed. */
  readonly #lastOnLeaf: Float64Array
  /** A job was given what another held before that was taken back ahead of time. */
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

  build(jobs: ReadonlyArray<Allocation>): void {
    this.#jobs.length = 1
    this.#cells.fill(0)
    this.#lastOnLeaf.fill(NaN)
    for (const job of jobs) this.add(job)
    this.#isOverwritten = false
    this.isCurrent = true
  }

  copy(from: Holders): void {
    this.isCurrent = from.isCurrent
    if (!from.isCurrent) return
    this.#jobs.length = from.#jobs.length
    for (let i = 0; i < from.#jobs.length; i++) this.#jobs[i] = from.#jobs[i]
    this.#cells.set(from.#cells)
    this.#lastOnLeaf.set(from.#lastOnLeaf)
    this.#isOverwritten = from.#isOverwritten
  }

  add(job: Allocation): void {
    const unused = this.#jobs.indexOf(undefined, 1)
    const number = unused < 0 ? this.#jobs.length : unused
    this.#jobs[number] = job
    this.#mark(job, number, false)
  }

  remove(job: Allocation): void {
    if (this.#isOverwritten) this.isCurrent = false
    if (!this.isCurrent) return
    const number = this.#jobs.indexOf(job)
    this.#mark(job, 0, true)
    this.#jobs[number] = undefined
  }

  replace(job: Allocation, changed: Allocation): void {
    this.#jobs[this.#jobs.indexOf(job)] = changed
    this.#forgetLeaves(job)
  }

  lastEndOnLeaf(leaf: number): number {
    const known = this.#lastOnLeaf[leaf]
    if (!Number.isNaN(known)) return known
    const { firstNodeOfLeaf } = this.#topology
    let last = 0
    for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++) {
      const job = this.#jobs[this.#nodes[node]]
      if (job !== undefined && job.estimatedEnd > last) last = job.estimatedEnd
    }
    this.#lastOnLeaf[leaf] = last
    return last
  }

  endOfLink(level: number, link: number): number {
    if (!this.#areLinksShared) return this.#jobs[this.#links[level][link]]?.estimatedEnd ?? 0
    let last = 0
    for (const job of this.#jobs) {
      const links = job?.links[level] ?? []
      const at = lowerBound(links.length, (i) => links[i] < link)
      if (links[at] === link) last = Math.max(last, job!.estimatedEnd)
    }
    return last
  }

  /** Whether no job holds a node, and none did that was taken back ahead of time. */
  isUnheld(node: number): boolean {
    return this.#nodes[node] === 0
  }

  #mark(job: Allocation, number: number, mayReplace: boolean): void {
    this.#forgetLeaves(job)
    this.#markAll(this.#nodes, job.nodes, number, mayReplace)
    if (this.#areLinksShared) return
    for (let level = 0; level < job.links.length; level++)
      this.#markAll(this.#links[level], job.links[level], number, mayReplace)
  }

  #markAll(holders: Uint16Array | Uint32Array, ids: ArrayLike<number>, number: number, mayReplace: boolean): void {
    for (let i = 0; i < ids.length; i++) {
      if (!mayReplace && holders[ids[i]] !== 0) this.#isOverwritten = true
      holders[ids[i]] = number
    }
  }

  #forgetLeaves({ nodes }: Allocation): void {
    const { leafOfNode } = this.#topology
    for (let i = 0; i < nodes.length; i++) this.#lastOnLeaf[leafOfNode[nodes[i]]] = NaN
  }
}
