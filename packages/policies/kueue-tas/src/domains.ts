import { type LeafPart, partsOfBlocks, partsOfLeaves } from '@cloister/placement'
import { consecutiveGroups, type Topology } from '@cloister/topology'
import type { Config, Slicing } from './config.ts'

/**
 * Tree of domains (blocks, leaves, nodes), coarsest level first. The domains below a domain have consecutive numbers.
 */
export interface DomainTree {
  /**
   * For each level but the lowest, the first domain below each domain, then the number of domains of the level below.
   */
  readonly firstChild: ReadonlyArray<Int32Array>
  readonly counts: ReadonlyArray<number>
}

/** Tree of the domains of a machine. */
export interface MachineTree extends DomainTree {
  /** Part of a leaf of each domain of the level of leaves: the nodes of the leaf that are in the same block. */
  readonly parts: ReadonlyArray<LeafPart>
  /** First node of each part in the order of the tree, then the number of nodes. */
  readonly firstNode: Int32Array
  /** Id of each node in the order of the tree; absent if the order of the tree is that of the ids. */
  readonly nodeIds?: Int32Array
}

/**
 * Makes the tree of blocks, leaves and, unless the config's lowest level is the leaves, nodes. Without `blockSizes`, the
 * blocks are those of the machine, or else the pods. A leaf with nodes of two blocks is a domain in each of them, as in
 * Kueue, where a domain is a list of values of labels.
 */
export function domainTreeOf(topology: Topology, config: Config): MachineTree {
  const { blocks } = topology
  if (blocks === undefined || config.blockSizes !== undefined) return treeOfLeaves(topology, config)
  const { parts, firstPart } = partsOfBlocks(topology)
  const firstNode = new Int32Array(parts.length + 1)
  for (const [at, { size }] of parts.entries()) firstNode[at + 1] = firstNode[at] + size
  const nodeIds = Int32Array.from(blocks.flatMap(({ nodes }) => [...nodes]))
  const isOnNodes = config.lowest === 'node'
  return {
    firstChild: isOnNodes ? [firstPart, firstNode] : [firstPart],
    counts: [blocks.length, parts.length, ...(isOnNodes ? [topology.nodes] : [])],
    parts,
    firstNode,
    nodeIds,
  }
}

function treeOfLeaves(topology: Topology, { blockSizes, lowest }: Config): MachineTree {
  const firstChild: Array<Int32Array> = lowest === 'node' ? [topology.firstNodeOfLeaf] : []
  if (blockSizes === undefined) firstChild.unshift(topology.firstLeafOfPod)
  let firstOfGroup = topology.firstNodeOfLeaf
  for (const size of blockSizes ?? []) {
    const groups = consecutiveGroups(firstOfGroup, size)
    firstChild.unshift(groups)
    firstOfGroup = groups.map((part) => firstOfGroup[part])
  }
  const last = firstChild[firstChild.length - 1]
  const { parts, firstNode } = partsOfLeaves(topology)
  return {
    firstChild,
    counts: [...firstChild.map((first) => first.length - 1), last[last.length - 1]],
    parts,
    firstNode,
  }
}

export function every({ counts }: DomainTree, level: number): ReadonlyArray<number> {
  return range(0, counts[level])
}

/** Returns the domains of the level below that belong to the given domains, in the order of the given domains. */
export function below(
  { firstChild }: DomainTree,
  level: number,
  domains: ReadonlyArray<number>,
): ReadonlyArray<number> {
  return domains.flatMap((domain) => range(firstChild[level][domain], firstChild[level][domain + 1]))
}

function range(from: number, to: number): ReadonlyArray<number> {
  return Array.from({ length: to - from }, (_, at) => from + at)
}

/** Capacity of each domain of a tree in nodes and in slices, by level and domain. */
export class Capacity {
  readonly nodes: ReadonlyArray<Int32Array>
  /** Number of outermost slices that fit in each domain, on the level of the slices and on coarser levels. */
  readonly slices: ReadonlyArray<Int32Array>
  readonly #tree: DomainTree

  constructor(tree: DomainTree) {
    this.#tree = tree
    this.nodes = tree.counts.map((count) => new Int32Array(count))
    this.slices = tree.counts.map((count) => new Int32Array(count))
  }

  /**
   * Computes the capacity of the domains from `first` to before `end` of a level, and of all domains below, as sums
   * from the lowest level up. The sum of a domain counts, from each domain below, only the nodes that fill whole inner
   * slices, because an inner slice is never divided.
   */
  addUp(slicing: Slicing, level = 0, first = 0, end: number = this.#tree.counts[0]): void {
    const ranges: Array<readonly [level: number, first: number, end: number]> = []
    this.#below(level, first, end, (...range) => ranges.push(range))
    for (const range of ranges.reverse()) this.#addUpLevel(slicing, ...range)
  }

  #addUpLevel({ size, level, inner }: Slicing, at: number, first: number, end: number): void {
    const nodes = this.nodes[at]
    const slices = this.slices[at]
    if (at + 1 < this.nodes.length) this.#addChildren(at, first, end, inner[at + 1] ?? 1)
    if (at >= level)
      for (let domain = first; domain < end; domain++)
        slices[domain] = at === level ? Math.floor(nodes[domain] / size) : 0
  }

  #addChildren(at: number, first: number, end: number, rounding: number): void {
    const firstChild = this.#tree.firstChild[at]
    const nodesBelow = this.nodes[at + 1]
    const slicesBelow = this.slices[at + 1]
    for (let domain = first; domain < end; domain++) {
      let nodes = 0
      let slices = 0
      for (let child = firstChild[domain]; child < firstChild[domain + 1]; child++) {
        nodes += nodesBelow[child] - (nodesBelow[child] % rounding)
        slices += slicesBelow[child]
      }
      this.nodes[at][domain] = nodes
      this.slices[at][domain] = slices
    }
  }

  copy(from: Capacity, level: number, first: number, end: number): void {
    this.#below(level, first, end, (at, low, high) => {
      this.nodes[at].set(from.nodes[at].subarray(low, high), low)
      this.slices[at].set(from.slices[at].subarray(low, high), low)
    })
  }

  clear(level: number, domain: number): void {
    this.#below(level, domain, domain + 1, (at, low, high) => {
      this.nodes[at].fill(0, low, high)
      this.slices[at].fill(0, low, high)
    })
  }

  #below(level: number, first: number, end: number, visit: (level: number, first: number, end: number) => void): void {
    const { firstChild, counts } = this.#tree
    let [low, high] = [first, end]
    for (let at = level; at < counts.length; at++) {
      visit(at, low, high)
      if (at + 1 < counts.length) [low, high] = [firstChild[at][low], firstChild[at][high]]
    }
  }
}

/** Share of a job that a domain gives, in slices on the level of the slices and above, else in nodes. */
export interface Part {
  readonly domain: number
  readonly units: number
}

/** Domains of one level that share a job. */
export interface Fit {
  readonly level: number
  readonly parts: ReadonlyArray<Part>
}

/**
 * Returns the domains with free nodes in the order in which the policy tries them: domains with the most `units` first,
 * or with the fewest first if `leastFirst` is true. Among domains with equal units, domains with fewer free nodes come
 * first, then domains with lower numbers.
 *
 * @param domains domains of the level, ascending
 */
export function inOrder(
  capacity: Capacity,
  level: number,
  domains: ReadonlyArray<number>,
  units: (domain: number) => number,
  leastFirst: boolean,
): ReadonlyArray<number> {
  const nodes = capacity.nodes[level]
  const some = domains.filter((domain) => nodes[domain] > 0)
  const alike = some.every((domain) => nodes[domain] === nodes[some[0]] && units(domain) === units(some[0]))
  if (alike) return some
  const sign = leastFirst ? 1 : -1
  return some.sort((a, b) => sign * (units(a) - units(b)) || nodes[a] - nodes[b] || a - b)
}

/**
 * Returns the domain with the fewest units that suffice for `need`, in `order` from index `from` on; -1 if none
 * suffices.
 */
export function tightest(
  order: ReadonlyArray<number>,
  from: number,
  units: (domain: number) => number,
  need: number,
): number {
  let best = -1
  for (let at = from; at < order.length; at++) {
    const capacity = units(order[at])
    if (capacity >= need && (best === -1 || capacity < units(best))) best = order[at]
  }
  return best
}

/**
 * Divides `need` units among domains: takes all units of one domain after the other. If `fitLast` is true, the last
 * units go to the remaining domain that has the fewest sufficient units. Returns undefined if the domains together have
 * too few units.
 */
export function take(
  order: ReadonlyArray<number>,
  units: (domain: number) => number,
  need: number,
  fitLast: boolean,
): ReadonlyArray<Part> | undefined {
  const parts: Array<Part> = []
  let left = need
  for (let at = 0; at < order.length && left > 0; at++) {
    const here = units(order[at])
    if (here === 0) continue
    const domain = fitLast && here >= left ? tightest(order, at, units, left) : order[at]
    parts.push({ domain, units: Math.min(units(domain), left) })
    left -= Math.min(units(domain), left)
  }
  return left === 0 ? parts : undefined
}
