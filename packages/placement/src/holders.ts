import { lowerBound, type Topology } from '@cloister/topology'
import type { Allocation } from './allocation.ts'

/**
 * Index of the job that holds each node and link, and of the estimated ends of these jobs. Includes jobs that a fork
 * released before their ends. The index is built at the first question of a policy, then updated with every change.
 */
export class Holders {
  /** True if the index agrees with the state. If false, the next question builds the index again. */
  isCurrent = false
  readonly #topology: Topology
  /** True if several jobs share a link. The index then has no entries of links. */
  readonly #areLinksShared: boolean
  /** Jobs by number; 0 means no job. */
  readonly #jobs: Array<Allocation | undefined> = [undefined]
  /**
   * Number of the job that holds each node and each link. `#nodes` and `#links` are views into this array, so that one
   * call copies all.
   */
  readonly #cells: Uint16Array | Uint32Array
  readonly #nodes: Uint16Array | Uint32Array
  readonly #links: ReadonlyArray<Uint16Array | Uint32Array>
  /** Latest estimated end on each leaf; NaN until computed. */
  readonly #lastOnLeaf: Float64Array
  /** True if a job got resources of a job that a fork released early, so that the entry of the released job is lost. */
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

  /** Tests whether a node has no job, neither a running one nor a job that a fork released early. */
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
