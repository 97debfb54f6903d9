import type { Topology } from '@cloister/topology'
import type { Draw } from './draw.ts'

/** New id of each node, and of each link of a level, after equal subtrees of a regular tree change places. */
export interface Relabeling {
  readonly node: (id: number) => number
  readonly link: (level: number) => (id: number) => number
}

/**
 * Draws a random symmetry of a regular tree. For each level, one permutation exchanges the children of every switch,
 * and another the parallel switches (switches above the same subtree), so connected switches stay connected. If `draw`
 * is undefined, or if the topology is no regular tree, all ids of nodes and links stay the same.
 */
export function relabeling({ pgft, levels }: Topology, draw: Draw | undefined): Relabeling {
  if (draw === undefined || pgft === undefined) return { node: (id) => id, link: () => (id) => id }
  const { m, w } = pgft
  const orders = (sizes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
    sizes.map((size) => draw.sample([...Array(size).keys()], size))
  const children = orders(m)
  const parallel = orders(w)
  return {
    // The digits of a node's id, least significant first: its index on the leaf, the leaf's index in the pod, and so
    // on.
    node: (id) => relabelled(id, children),
    link: (level) => {
      const upPorts = levels[level].firstPort[1]
      const parents = w[level + 1]
      // The least significant digits of a switch's id are its index among parallel switches; its subtree's index
      // follows.
      const digits = [...parallel.slice(0, level + 1).reverse(), ...children.slice(level + 1)]
      return (id) => {
        const port = id % upPorts
        const cable = Math.floor(port / parents)
        return (
          relabelled(Math.floor(id / upPorts), digits) * upPorts + cable * parents + parallel[level + 1][port % parents]
        )
      }
    },
  }
}

/** Applies to each digit of a mixed-radix number its permutation in `digits`, least significant digit first. */
function relabelled(id: number, digits: ReadonlyArray<ReadonlyArray<number>>): number {
  let rest = id
  let weight = 1
  let result = 0
  for (const order of digits) {
    result += order[rest % order.length] * weight
    rest = Math.floor(rest / order.length)
    weight *= order.length
  }
  return result
}
