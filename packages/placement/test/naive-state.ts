import type { Topology } from '@cloister/topology'
import type { Allocation, Resources } from '../src/allocations.ts'
import type { StateView } from '../src/view.ts'

/** Model of `ClusterState` with plain sets, which counts again at every call: slow, but simple enough to be right. */
export class NaiveState implements StateView {
  readonly topology: Topology
  readonly linkCapacity: number
  running: Array<Allocation> = []
  /** Jobs that a fork released before their ends. */
  ahead: Array<Allocation> = []
  /** Names of held resources, such as `node 3` or `0-link 12`. */
  held: Set<string> = new Set()
  blocked: Set<string> = new Set()
  /** Bandwidth in use on each shared link, in MB/s. */
  used: Map<string, number> = new Map()

  constructor(topology: Topology, linkCapacity: number) {
    this.topology = topology
    this.linkCapacity = linkCapacity
  }

  copy(): NaiveState {
    const copy = new NaiveState(this.topology, this.linkCapacity)
    copy.running = [...this.running]
    copy.ahead = [...this.ahead]
    copy.held = new Set(this.held)
    copy.blocked = new Set(this.blocked)
    copy.used = new Map(this.used)
    return copy
  }

  apply(allocation: Allocation): void {
    this.#take(allocation, allocation.bandwidth)
    this.#run(allocation)
  }

  release(allocation: Allocation): void {
    this.running = this.running.filter((other) => other !== allocation)
    for (const node of Array.from(allocation.nodes)) this.held.delete(nodeName(node))
    for (const link of linkNames(allocation)) {
      if (allocation.bandwidth === undefined) this.held.delete(link)
      else this.#use(link, -allocation.bandwidth)
    }
  }

  releaseFirst(count: number): void {
    for (const allocation of this.running.slice(0, count)) {
      this.release(allocation)
      this.ahead.push(allocation)
    }
  }

  willHaveEnded(allocation: Allocation): void {
    this.ahead.push(allocation)
  }

  hasEnded(allocation: Allocation): void {
    this.ahead = this.ahead.filter((other) => other !== allocation)
  }

  withhold(resources: Resources, bandwidth: number | undefined): void {
    if (bandwidth === undefined) return this.fail(resources)
    for (const node of Array.from(resources.nodes)) this.blocked.add(nodeName(node))
    for (const link of linkNames(resources)) this.#use(link, bandwidth)
  }

  fail(resources: Resources): void {
    for (const name of resourceNames(resources)) this.blocked.add(name)
  }
  restore(resources: Resources): void {
    for (const name of resourceNames(resources)) this.blocked.delete(name)
  }

  replace(allocation: Allocation, changed: Allocation): void {
    this.running = this.running.filter((other) => other !== allocation)
    this.#run(changed)
  }

  get freeNodes(): number {
    return this.#count(0, this.topology.nodes)
  }

  freeNodesOnLeaf(leaf: number): number {
    return this.#count(this.topology.firstNodeOfLeaf[leaf], this.topology.firstNodeOfLeaf[leaf + 1])
  }

  freeNodesInPod(pod: number): number {
    return this.#leaves(pod).reduce((sum, leaf) => sum + this.freeNodesOnLeaf(leaf), 0)
  }

  wholeLeavesInPod(pod: number): number {
    return this.#leaves(pod).filter((leaf) => {
      const { firstNodeOfLeaf, levels } = this.topology
      const { firstPort } = levels[0]
      const links = range(firstPort[leaf], firstPort[leaf + 1])
      return (
        range(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).every((node) => this.isNodeFree(node)) &&
        links.every((link) => this.isLinkFree(0, link))
      )
    }).length
  }

  busyNodesOnLeaf(leaf: number): number {
    return this.#nodesOf(leaf).filter((node) => this.held.has(nodeName(node))).length
  }

  communicatingNodesOnLeaf(leaf: number): number {
    const communicating = this.running
      .filter(({ communicates }) => communicates)
      .flatMap(({ nodes }) => Array.from(nodes))
    return this.#nodesOf(leaf).filter((node) => communicating.includes(node)).length
  }

  lastEndOnLeaf(leaf: number): number {
    return Math.max(
      0,
      ...this.#nodesOf(leaf).map((node) => this.#allocationOf(({ nodes }) => nodes, node)?.estimatedEnd ?? 0),
    )
  }

  endOfLink(level: number, link: number): number {
    const linksOf = ({ links }: Allocation): ArrayLike<number> => links[level] ?? []
    if (this.linkCapacity === 0) return this.#allocationOf(linksOf, link)?.estimatedEnd ?? 0
    const sharing = [...this.ahead, ...this.running].filter((job) => Array.from(linksOf(job)).includes(link))
    return Math.max(0, ...sharing.map(({ estimatedEnd }) => estimatedEnd))
  }

  freeNodesAtDecision(leaf: number): number {
    const isAhead = (node: number): boolean => this.ahead.some(({ nodes }) => Array.from(nodes).includes(node))
    return this.#nodesOf(leaf).filter((node) => this.isNodeFree(node) && !isAhead(node)).length
  }

  /** Finds the running job on a resource, else the last released job that held the resource. */
  #allocationOf(idsOf: (job: Allocation) => ArrayLike<number>, id: number): Allocation | undefined {
    return [...this.ahead, ...this.running].findLast((job) => Array.from(idsOf(job)).includes(id))
  }

  isNodeFree(node: number): boolean {
    return this.#isFree(nodeName(node))
  }

  isLinkFree(level: number, link: number): boolean {
    return this.#isFree(linkName(level, link)) && !this.used.has(linkName(level, link))
  }

  freeNodeIds(leaf: number, out: Int32Array, offset = 0): number {
    const { firstNodeOfLeaf } = this.topology
    const free = range(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).filter((node) => this.isNodeFree(node))
    out.set(free, offset)
    return free.length
  }

  nodeMask(leaf: number, word: number): number {
    const { firstNodeOfLeaf } = this.topology
    return mask(word, firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1], (node) => this.isNodeFree(node))
  }

  portMask(level: number, sw: number, word: number): number {
    const { firstPort } = this.topology.levels[level]
    return mask(word, firstPort[sw], firstPort[sw + 1], (link) => this.isLinkFree(level, link))
  }

  capacityLeft(level: number, link: number): number {
    const name = linkName(level, link)
    return this.#isFree(name) ? this.linkCapacity - (this.used.get(name) ?? 0) : 0
  }

  isFree(resources: Resources, bandwidth: number | undefined): boolean {
    if (bandwidth === undefined)
      return resourceNames(resources).every((name) => this.#isFree(name) && !this.used.has(name))
    return (
      Array.from(resources.nodes).every((node) => this.isNodeFree(node)) &&
      resources.links.every((ids, level) =>
        Array.from(ids).every((link) => this.capacityLeft(level, link) >= bandwidth),
      )
    )
  }

  isUp(resources: Resources): boolean {
    return resourceNames(resources).every((name) => !this.blocked.has(name))
  }

  #take(resources: Resources, bandwidth: number | undefined): void {
    for (const node of Array.from(resources.nodes)) this.held.add(nodeName(node))
    for (const link of linkNames(resources)) {
      if (bandwidth === undefined) this.held.add(link)
      else this.#use(link, bandwidth)
    }
  }

  #use(link: string, bandwidth: number): void {
    const used = (this.used.get(link) ?? 0) + bandwidth
    if (used === 0) this.used.delete(link)
    else this.used.set(link, used)
  }

  #run(allocation: Allocation): void {
    this.running.push(allocation)
    this.running.sort((a, b) => a.estimatedEnd - b.estimatedEnd || a.startOrder - b.startOrder)
  }

  #isFree(name: string): boolean {
    return !this.held.has(name) && !this.blocked.has(name)
  }
  #count(from: number, to: number): number {
    return range(from, to).filter((node) => this.isNodeFree(node)).length
  }
  #nodesOf(leaf: number): Array<number> {
    return range(this.topology.firstNodeOfLeaf[leaf], this.topology.firstNodeOfLeaf[leaf + 1])
  }
  #leaves(pod: number): Array<number> {
    return range(this.topology.firstLeafOfPod[pod], this.topology.firstLeafOfPod[pod + 1])
  }
}

export function range(from: number, to: number): Array<number> {
  // `Array.from({ length })` takes ten times as long, and the suites call `range` at every question.
  const numbers: Array<number> = []
  for (let at = from; at < to; at++) numbers.push(at)
  return numbers
}

function nodeName(node: number): string {
  return `node ${node}`
}
function linkName(level: number, link: number): string {
  return `${level}-link ${link}`
}
function linkNames({ links }: Resources): Array<string> {
  return links.flatMap((ids, level) => Array.from(ids, (link) => linkName(level, link)))
}
function resourceNames(resources: Resources): Array<string> {
  return [...Array.from(resources.nodes, nodeName), ...linkNames(resources)]
}

/** Returns a mask word. Bit `i` is set if the resource `from + 32 * word + i` exists and is free. */
function mask(word: number, from: number, to: number, isFree: (id: number) => boolean): number {
  return range(0, 32).reduce((bits, bit) => {
    const id = from + 32 * word + bit
    return id < to && isFree(id) ? bits | (1 << bit) : bits
  }, 0)
}
