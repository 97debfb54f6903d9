import type { Topology } from '@cloister/topology'
import { type Resources, StateError } from './allocations.ts'
import { idsOf, MASKED, type MaskedIds, type MaskedResources, popcount } from './bits.ts'
import { allFree, type IdLayout, idLayouts, KnownMasks, Masks, noneBlocked, type Operation, Touched } from './masks.ts'

/** Nodes and links of a reservation. `bandwidth`, in MB/s on each link, is set if the policy claims `capped` links. */
export interface Withheld extends Resources {
  readonly bandwidth?: number
}

/**
 * Nodes and links of a cluster, with counters: the part of `ClusterState` without jobs. A node or link is held by a
 * job, blocked (down, or withheld for a reservation), or free. A held node or link can be blocked at the same time; it
 * is still not free after its job ends.
 */
export class FreeResources {
  readonly topology: Topology
  /** Bandwidth that all jobs together may hold on one link, in MB/s; 0 if one job owns a link alone. */
  readonly linkCapacity: number
  /** Masks of allocations and placements, which a state shares with its forks. */
  protected readonly masks: KnownMasks
  /** Layout of the nodes, then of the links of each level. */
  readonly #layouts: ReadonlyArray<IdLayout>
  /** Memory of all fields below up to `#total`: one copy of this array copies all fields. */
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
  readonly #touchedLeaves: Touched
  readonly #touchedL2: Touched

  constructor(topology: Topology, linkCapacity: number, origin?: FreeResources) {
    const { leaves, pods, levels } = topology
    this.topology = topology
    this.linkCapacity = linkCapacity
    this.#layouts = origin === undefined ? idLayouts(topology) : origin.#layouts
    this.masks = origin === undefined ? new KnownMasks(this.#layouts) : origin.masks
    const isCapped = linkCapacity > 0
    this.#cells = new Int32Array(cellCount(topology, this.#layouts, isCapped))
    let taken = 0
    const take = (length: number): Int32Array => this.#cells.subarray(taken, (taken += length))
    const [nodes, ...ports] = this.#layouts.map((layout) => new Masks(layout, take))
    this.#nodes = nodes!
    this.#ports = ports
    this.#used = isCapped ? levels.map(({ links }) => take(links)) : []
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
  }

  protected copyCells(from: FreeResources): void {
    this.#cells.set(from.#cells)
  }

  protected hasEqualCells(other: FreeResources): boolean {
    return this.#cells.length === other.#cells.length && this.#cells.every((cell, at) => cell === other.#cells[at])
  }

  /** Blocked nodes, then blocked links of each level: 32 bits a word, in the given layout. */
  get blocked(): ReadonlyArray<{ readonly mask: Int32Array; readonly layout: IdLayout }> {
    return [this.#nodes, ...this.#ports].map(({ blocked, layout }) => ({ mask: blocked, layout }))
  }
  /** Bandwidth in use on each link of each level, in MB/s; empty if links are not capped. */
  get bandwidthInUse(): ReadonlyArray<Int32Array> {
    return this.#used
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
    return this.linkCapacity - (this.#used[level]?.[link] ?? 0)
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

  communicatingNodesOnLeaf(leaf: number): number {
    return this.#communicatingOnLeaf[leaf]
  }

  /**
   * Returns true if all nodes of `resources` are free, and all its links are free or, if `bandwidth` is given, have at
   * least `bandwidth` MB/s left.
   */
  isFree(resources: Resources, bandwidth?: number): boolean {
    const { nodes, links } = this.masks.of(resources)
    if (!allFree(this.#nodes, nodes)) return false
    if (bandwidth === undefined) return links.every((ids, level) => allFree(this.#ports[level], ids))
    return links.every((ids, level) =>
      idsOf(ids, this.#layouts[level + 1]).every((link) => this.capacityLeft(level, link) >= bandwidth),
    )
  }

  /** Returns the masks of nodes and links; undefined if an id does not exist, or if ids do not ascend. */
  masksOf(resources: Resources): MaskedResources | undefined {
    try {
      return this.masks.of(resources)
    } catch (error) {
      if (error instanceof StateError) return undefined
      throw error
    }
  }

  /** Returns true if no node or link of `resources` is down or, on a fork, withheld. */
  isUp(resources: Resources): boolean {
    const { nodes, links } = this.masks.of(resources)
    return noneBlocked(this.#nodes, nodes) && links.every((ids, level) => noneBlocked(this.#ports[level], ids))
  }

  /**
   * Changes nodes and links, without the counters of whole leaves, which `settleLeaves` updates once at the end of an
   * operation.
   */
  protected changeResources(
    operation: Operation,
    resources: Resources & { readonly communicates?: boolean },
    bandwidth: number | undefined,
  ): void {
    const { nodes, links } = this.masks.of(resources)
    this.#changeNodes(operation, nodes)
    if (resources.communicates === true) this.#changeCommunicating(operation === 'release' ? -1 : 1, nodes)
    for (let level = 0; level < links.length; level++) {
      if (bandwidth === undefined) this.#changeLinks(operation, level, links[level])
      else this.#changeBandwidth(operation, level, links[level], bandwidth)
    }
  }

  /** Updates the counters of leaves with all nodes and uplinks free. Returns the changed leaves, ascending. */
  protected settleLeaves(): ReadonlyArray<number> {
    const leaves = this.#touchedLeaves.take()
    for (let i = 0; i < leaves.length; i++) this.#settleWhole(leaves[i])
    return leaves
  }

  /** Returns the L2 switches with changed up-ports since the last call, ascending. */
  protected takeChangedL2(): ReadonlyArray<number> {
    return this.#touchedL2.take()
  }

  /** Changes the resources of `ClusterState.withholdReservation`. */
  protected withholdBeside(resources: Resources, bandwidth: number, later: FreeResources): void {
    const { nodes, links } = this.masks.of(resources)
    this.#changeNodes('withhold', nodes)
    links.forEach((ids, level) => {
      for (const link of idsOf(ids, this.#layouts[level + 1])) {
        const more = later.#used[level][link] + bandwidth - this.#used[level][link]
        if (more > 0) this.#changeUse('withhold', level, link, more)
      }
    })
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

  #changeBandwidth(operation: Operation, level: number, ids: MaskedIds, bandwidth: number): void {
    if (this.#used[level] === undefined)
      throw new StateError('bandwidth is held on links, but this state has no link capacity')
    for (const link of idsOf(ids, this.#layouts[level + 1])) this.#changeUse(operation, level, link, bandwidth)
  }

  /**
   * In the masks, a capped link is free if none of its bandwidth is in use. @throws StateError if the link has too
   * little bandwidth left or in use
   */
  #changeUse(operation: Operation, level: number, link: number, bandwidth: number): void {
    const { switchOf, first, words } = this.#layouts[level + 1]
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

/** Returns the number of integers of all masks and counters of a state. `capped`: jobs share links up to a capacity. */
export function cellCount(
  { leaves, pods, levels }: Topology,
  layouts: ReadonlyArray<IdLayout>,
  capped: boolean,
): number {
  const maskWords = layouts.reduce((sum, { first, words }) => sum + 3 * words * (first.length - 1), 0)
  const links = capped ? levels.reduce((sum, level) => sum + level.links, 0) : 0
  return maskWords + links + 4 * leaves + 2 * pods + 1
}
