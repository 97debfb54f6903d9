import { leavesBelow, type Topology } from '@cloister/topology'
import { type Capacities, checked } from './directed-links.ts'

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
