import type { Routes } from '@cloister/placement'
import { leavesBelow, type Topology } from '@cloister/topology'
import { followOn } from './routes.ts'

/** Paths of several flows. Flow `f` uses the links `links[first[f]]` to `links[first[f + 1] - 1]`. */
export interface FlowPaths {
  readonly flows: number
  /** Index in `links` of the first link of each flow; length `flows + 1`. */
  readonly first: Int32Array
  readonly links: Int32Array
}

/** Calls `visit` with each link of a flow between two nodes. A flow from a node to itself has no links. */
export type FlowPath = (from: number, to: number, visit: (link: number) => void) => void

/**
 * Returns the paths of flows under forwarding tables, as a function that throws a RoutingError if the routes do not
 * lead to the target.
 */
export function routedPaths(topology: Topology, links: DirectedLinks, routes: Routes): FlowPath {
  const follow = followOn(topology)
  return (from, to, visit) => {
    if (from === to) return
    visit(links.ofNode(from, 'up'))
    follow(routes, from, to, (level, link, up) => visit(links.ofLevel(level, link, up ? 'up' : 'down')))
    visit(links.ofNode(to, 'down'))
  }
}

/** Collects flows one at a time into `FlowPaths`. */
export class FlowPathsBuilder {
  readonly #first: Array<number> = [0]
  readonly #links: Array<number> = []

  /** Number of added flows, and index of the next flow. */
  get flows(): number {
    return this.#first.length - 1
  }

  /** Adds a flow, unless `path` throws an error. */
  add(path: FlowPath, from: number, to: number): void {
    const before = this.#links.length
    try {
      path(from, to, (link) => this.#links.push(link))
    } catch (cause) {
      this.#links.length = before
      throw cause
    }
    this.#first.push(this.#links.length)
  }

  build(): FlowPaths {
    return { flows: this.flows, first: Int32Array.from(this.#first), links: Int32Array.from(this.#links) }
  }
}

/** Capacities of links in each direction, in any unit. The computed rates have the same unit. */
export interface Capacities {
  /** Capacity of the link between a node and its leaf. */
  readonly node: number
  /**
   * Capacity of one link from each level of switches to the next, leaves first. The last capacity holds for all higher
   * levels.
   */
  readonly levels: ReadonlyArray<number>
}

/**
 * Links of a machine as dense integers, each direction as a link: nodes up, nodes down, then the links up and the links
 * down of each level of switches.
 */
export class DirectedLinks {
  readonly count: number
  readonly capacity: Float64Array
  readonly #nodes: number
  /** First upward link of each level; the level's downward links follow. */
  readonly #first: ReadonlyArray<number>
  readonly #links: ReadonlyArray<number>

  /** @throws RangeError if a capacity is not a positive number */
  constructor({ nodes, levels }: Topology, capacities: Capacities) {
    const first = [2 * nodes]
    for (const { links } of levels) first.push(first[first.length - 1] + 2 * links)
    this.count = first[levels.length]
    this.#nodes = nodes
    this.#first = first
    this.#links = levels.map(({ links }) => links)
    this.capacity = new Float64Array(this.count).fill(checked(capacities.node, 'node'), 0, 2 * nodes)
    levels.forEach((_, level) => {
      const at = Math.min(level, capacities.levels.length - 1)
      if (first[level] < first[level + 1])
        this.capacity.fill(checked(capacities.levels[at], `levels[${at}]`), first[level], first[level + 1])
    })
  }

  ofNode(node: number, direction: 'up' | 'down'): number {
    return direction === 'up' ? node : this.#nodes + node
  }

  /** @param link id of the link within its level */
  ofLevel(level: number, link: number, direction: 'up' | 'down'): number {
    return this.#first[level] + (direction === 'up' ? link : this.#links[level] + link)
  }
}

/** @throws RangeError if the capacity is not a finite positive number */
function checked(capacity: number | undefined, field: string): number {
  if (capacity !== undefined && capacity > 0 && capacity < Infinity) return capacity
  throw new RangeError(`capacities.${field}: found ${capacity}, expected a positive number`)
}

/**
 * Links of a machine under ideal spreading of flows, an upper bound of adaptive routing: up to the lowest common level
 * of two nodes, each switch divides a flow evenly over all its up-ports, and the flow comes down over all shortest
 * paths. On a regular tree, all links above a subtree then carry equal loads, so they are a single link in each
 * direction, with the sum of their capacities. The links are numbered: nodes up, nodes down, then for each level the
 * subtrees up and the subtrees down.
 */
export class SpreadLinks {
  readonly capacity: Float64Array
  readonly #topology: Topology
  /** First upward link of each level; the level's downward links follow. */
  readonly #first: ReadonlyArray<number>
  /** Number of the subtree of each leaf, for each level below the top. */
  readonly #subtreeOfLeaf: ReadonlyArray<Int32Array>

  /** @throws RangeError if the topology is a switch graph or a capacity is not a positive number */
  constructor(topology: Topology, capacities: Capacities) {
    const { nodes, levels, pgft, name } = topology
    if (pgft === undefined) throw new RangeError(`${name}: flows can be spread only on regular trees`)
    const subtrees = levels.slice(0, -1).map(({ switches }, level) => subtreesOf(topology, level, switches))
    this.#topology = topology
    this.#subtreeOfLeaf = subtrees.map(({ ofLeaf }) => ofLeaf)
    const first = [2 * nodes]
    for (const { count } of subtrees) first.push(first[first.length - 1] + 2 * count)
    this.#first = first
    this.capacity = new Float64Array(first[subtrees.length]).fill(checked(capacities.node, 'node'), 0, 2 * nodes)
    subtrees.forEach(({ count }, level) => {
      const at = Math.min(level, capacities.levels.length - 1)
      const each = (checked(capacities.levels[at], `levels[${at}]`) * levels[level].links) / count
      this.capacity.fill(each, first[level], first[level + 1])
    })
  }

  /** Calls `visit` with each link of a flow between two nodes. A flow from a node to itself has no links. */
  follow(from: number, to: number, visit: (link: number) => void): void {
    if (from === to) return
    const { nodes, leafOfNode } = this.#topology
    visit(from)
    for (const [level, ofLeaf] of this.#subtreeOfLeaf.entries()) {
      const [source, target] = [ofLeaf[leafOfNode[from]], ofLeaf[leafOfNode[to]]]
      if (source === target) break
      const first = this.#first[level]
      visit(first + source)
      visit((first + this.#first[level + 1]) / 2 + target)
    }
    visit(nodes + to)
  }
}

/** Returns the number of subtrees with a level's switches at their tops, and the subtree of each leaf. */
function subtreesOf(topology: Topology, level: number, switches: number) {
  const parallel = topology.pgft!.w.slice(0, level + 1).reduce((product, w) => product * w, 1)
  const ofLeaf = new Int32Array(topology.leaves)
  const count = switches / parallel
  for (let subtree = 0; subtree < count; subtree++)
    for (const leaf of leavesBelow(topology, level, subtree * parallel)) ofLeaf[leaf] = subtree
  return { count, ofLeaf }
}

/**
 * Returns the connected components of groups of flows, such as jobs. Two groups are connected if flows of both share a
 * link, directly or through a chain of groups.
 *
 * @param groupOfFlow group of each flow as a dense integer
 * @returns the groups of each component, ascending; the components are in the order of their first groups
 */
export function sharingComponents(
  { flows, first, links }: FlowPaths,
  groupOfFlow: ArrayLike<number>,
  groups: number,
): ReadonlyArray<ReadonlyArray<number>> {
  const parent = Int32Array.from({ length: groups }, (_, group) => group)
  const rootOf = (group: number): number => {
    let root = group
    while (parent[root] !== root) root = parent[root] = parent[parent[root]]
    return root
  }
  /** The group with the lower number becomes the root of both trees. */
  const join = (one: number, other: number): void => {
    parent[Math.max(one, other)] = Math.min(one, other)
  }
  const ownerOfLink = new Map<number, number>()
  for (let flow = 0; flow < flows; flow++) {
    for (let at = first[flow]; at < first[flow + 1]; at++) {
      const owner = ownerOfLink.get(links[at])
      if (owner === undefined) ownerOfLink.set(links[at], groupOfFlow[flow])
      else if (owner !== groupOfFlow[flow]) join(rootOf(owner), rootOf(groupOfFlow[flow]))
    }
  }
  return [...Map.groupBy(parent.keys(), rootOf).values()]
}
