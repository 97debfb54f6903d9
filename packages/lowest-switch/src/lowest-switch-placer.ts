import type { Claims, Outcome, Placer, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { Subtrees } from './subtrees.ts'

/**
 * Divides a job among the leaves below a switch that together have enough nodes free.
 *
 * @param leaves ascending ids
 * @param shares output, by leaf id: how many nodes the job gets there; 0 everywhere at first
 * @returns the leaf of each rank, as many on each as its share; nothing where ranks follow the ids of nodes
 */
export type Divide = (
  state: StateView,
  request: Request,
  leaves: Int32Array,
  shares: Int32Array,
) => Int32Array | undefined | void

/**
 * A job goes below the lowest switch with enough free nodes, as Slurm's topology/tree has it; policies differ in how they
 * divide it among the leaves there. Of each leaf it gets the lowest free nodes.
 */
export class LowestSwitchPlacer implements Placer {
  /** A job is refused only where no switch has enough free nodes, and less free does not change that. */
  readonly claims: Claims = {
    links: 'shared',
    fullBandwidth: false,
    exactSize: true,
    monotone: true,
    complete: true,
    speedupScenarios: false,
  }
  readonly #subtrees: Subtrees
  readonly #divide: Divide
  readonly #nodes: number
  readonly #leafOfNode: ArrayLike<number>
  readonly #shares: Int32Array
  readonly #ids: Int32Array

  constructor(topology: Topology, divide: Divide) {
    const { leafOfNode, leaves, nodes } = topology
    this.#subtrees = new Subtrees(topology)
    this.#divide = divide
    this.#nodes = nodes
    this.#leafOfNode = leafOfNode
    this.#shares = new Int32Array(leaves)
    this.#ids = new Int32Array(nodes)
  }

  place(state: StateView, request: Request): Outcome {
    const { nodes } = request
    if (nodes > this.#subtrees.largest)
      return { ok: false, code: 'never', constraint: nodes > this.#nodes ? 'machine size' : 'nodes below one switch' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    const leaves = this.#subtrees.lowest(state, nodes)
    if (leaves === undefined) return { ok: false, code: 'no-placement', constraint: 'free nodes below one switch' }
    this.#shares.fill(0)
    let leafOfRank: Int32Array | undefined | void
    if (leaves.length === 1) this.#shares[leaves[0]] = nodes
    else leafOfRank = this.#divide(state, request, leaves, this.#shares)
    const given = this.#lowestFree(state, leaves, nodes)
    if (leafOfRank === undefined) return { ok: true, nodes: given, links: [] }
    return { ok: true, nodes: given, links: [], ranks: ranksOnLeaves(given, this.#leafOfNode, leafOfRank) }
  }

  #lowestFree(state: StateView, leaves: Int32Array, nodes: number): Int32Array {
    let taken = 0
    for (let i = 0; i < leaves.length; i++) {
      const share = this.#shares[leaves[i]]
      // What a leaf has beyond its share is written over by the next.
      if (share > 0) state.freeNodeIds(leaves[i], this.#ids, taken)
      taken += share
    }
    return this.#ids.slice(0, nodes)
  }
}

/**
 * The node of each rank: those of a leaf take its nodes in the order of their numbers.
 *
 * @param nodes ascending, of each leaf as many as it has ranks
 */
export function ranksOnLeaves(
  nodes: ArrayLike<number>,
  leafOfNode: ArrayLike<number>,
  leafOfRank: ArrayLike<number>,
): Int32Array {
  const nextOn = new Map<number, number>()
  for (let at = nodes.length - 1; at >= 0; at--) nextOn.set(leafOfNode[nodes[at]], at)
  return Int32Array.from(leafOfRank, (leaf) => {
    const at = nextOn.get(leaf)!
    nextOn.set(leaf, at + 1)
    return nodes[at]
  })
}
