import type { StateView } from '@cloister/placement'
import { leavesBelow, type Topology } from '@cloister/topology'

/** Sets of leaves below the switches of a machine. Several switches above the same leaves have one set. */
export class Subtrees {
  /**
   * Largest number of nodes below one switch; fewer than on the machine if a switch graph has several separate trees.
   */
  readonly largest: number
  /** Ids of the leaves below each switch, ascending, by level from the leaves up. */
  readonly #levels: ReadonlyArray<ReadonlyArray<Int32Array>>
  readonly #free: Int32Array

  constructor(topology: Topology) {
    const { firstNodeOfLeaf, leaves, levels } = topology
    this.#levels = levels.map((_, level) => distinctSubtrees(topology, level))
    this.#free = new Int32Array(leaves)
    this.largest = this.#levels.flat().reduce(
      (largest, below) =>
        Math.max(
          largest,
          sum(below, (leaf) => firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]),
        ),
      0,
    )
  }

  /**
   * Returns the leaves below the lowest switch with at least `nodes` free nodes; of several switches of one level,
   * below the first with the fewest free nodes. Returns undefined if no switch has enough free nodes.
   */
  lowest(state: StateView, nodes: number): Int32Array | undefined {
    const free = this.#free
    for (let leaf = 0; leaf < free.length; leaf++) free[leaf] = state.freeNodesOnLeaf(leaf)
    for (const level of this.#levels) {
      const best = tightest(level, free, nodes)
      if (best !== undefined) return best
    }
    return undefined
  }
}

function tightest(subtrees: ReadonlyArray<Int32Array>, free: Int32Array, nodes: number): Int32Array | undefined {
  let best: Int32Array | undefined
  let fewest = Infinity
  for (const leaves of subtrees) {
    let here = 0
    for (let i = 0; i < leaves.length; i++) here += free[leaves[i]]
    if (here < nodes || here >= fewest) continue
    best = leaves
    fewest = here
  }
  return best
}

function distinctSubtrees(topology: Topology, level: number): ReadonlyArray<Int32Array> {
  const seen = new Set<string>()
  const step = parallelSwitches(topology, level)
  return Array.from({ length: topology.levels[level].switches / step }, (_, subtree) =>
    leavesBelow(topology, level, subtree * step),
  ).filter((leaves) => {
    const key = leaves.join()
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

/** Returns how many consecutive switches of a level are above the same leaves; 1 for a switch graph. */
function parallelSwitches({ pgft }: Topology, level: number): number {
  return pgft === undefined ? 1 : pgft.w.slice(0, level + 1).reduce((product, w) => product * w, 1)
}

function sum(ids: Int32Array, valueOf: (id: number) => number): number {
  return ids.reduce((total, id) => total + valueOf(id), 0)
}
