import { leavesBelow, type Topology } from '@cloister/topology'
import { type Capacities, checked } from './directed-links.ts'

/**
 * Ideal spreading, what adaptive routing would do at its best: at each switch on its way up a flow is divided evenly over
 * all up-ports, as far as the lowest level where the two nodes meet, and it comes down by all the ways that lead there. On
 * a regular tree the links above one subtree then carry the same: they are one link here, each direction by itself, with
 * the capacity of all. Links are nodes up, nodes down, then for each level the subtrees below it up, and down.
 */
export class SpreadLinks {
  /** By link. */
  readonly capacity: Float64Array
  readonly #topology: Topology
  /** First link up of each level; the links down follow. */
  readonly #first: ReadonlyArray<number>
  /** Of each level below the top, and each leaf: the subtree that it is in. */
  readonly #subtreeOfLeaf: ReadonlyArray<Int32Array>

  /** @throws RangeError where the topology is a switch graph, or a capacity is no positive number */
  constructor(topology: Topology, capacities: Capacities) {
    const { nodes, levels, pgft, name } = topology
    if (pgft === undefined) throw new RangeError(`${name}: flows are spread on regular trees alone`)
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

  /** Visits the links of a flow; none where a node sends to itself. */
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

/** The subtrees whose tops are the switches of a level. */
function subtreesOf(topology: Topology, level: number, switches: number) {
  const parallel = topology.pgft!.w.slice(0, level + 1).reduce((product, w) => product * w, 1)
  const ofLeaf = new Int32Array(topology.leaves)
  const count = switches / parallel
  for (let subtree = 0; subtree < count; subtree++)
    for (const leaf of leavesBelow(topology, level, subtree * parallel)) ofLeaf[leaf] = subtree
  return { count, ofLeaf }
}
