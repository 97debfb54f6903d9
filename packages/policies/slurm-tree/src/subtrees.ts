import type { StateView } from '@cloister/placement'
import { leavesBelow, type Topology } from '@cloister/topology'

/**
 * The sets of leaves below the switches of each level, from the leaves up, in the order of their first switches. Switches
 * above the same leaves count once: what is below a switch decides, not its links.
 */
export type Subtrees = ReadonlyArray<ReadonlyArray<Int32Array>>

export function subtreesOf(topology: Topology): Subtrees {
  return topology.levels.map(({ switches }, level) => {
    const seen = new Set<string>()
    const step = parallelSwitches(topology, level)
    return Array.from({ length: switches / step }, (_, subtree) => leavesBelow(topology, level, subtree * step)).filter((leaves) => {
      const key = leaves.join()
      const isNew = !seen.has(key)
      seen.add(key)
      return isNew
    })
  })
}

/** In a regular tree so many consecutive switches of a level have the same leaves below them. */
function parallelSwitches({ pgft }: Topology, level: number): number {
  return pgft === undefined ? 1 : pgft.w.slice(0, level + 1).reduce((product, w) => product * w, 1)
}

/**
 * The leaves below the lowest switch with at least `nodes` nodes free; of several on one level below the one with fewest
 * free, of these below the first. Undefined where no switch has as many.
 */
export function lowestSubtree(subtrees: Subtrees, state: StateView, nodes: number): Int32Array | undefined {
  for (const level of subtrees) {
    let best: Int32Array | undefined
    let fewest = Infinity
    for (const leaves of level) {
      const free = freeNodesBelow(state, leaves)
      if (free < nodes || free >= fewest) continue
      best = leaves
      fewest = free
    }
    if (best !== undefined) return best
  }
  return undefined
}

function freeNodesBelow(state: StateView, leaves: Int32Array): number {
  let free = 0
  for (let i = 0; i < leaves.length; i++) free += state.freeNodesOnLeaf(leaves[i])
  return free
}
