import type { Topology } from '@cloister/topology'
import type { Draw } from './draw.ts'

/** Images of the nodes and links of a regular tree if equal subtrees are exchanged. */
export interface Relabeling {
  readonly node: (id: number) => number
  readonly link: (level: number) => (id: number) => number
}

/**
 * Draws a random symmetry of a regular tree. One permutation applies to the children of all switches of a level,
 * another to parallel switches, so connected switches stay connected. Without draws, or on other topologies, nothing
 * moves.
 */
export function relabeling({ pgft, levels }: Topology, draw: Draw | undefined): Relabeling {
  if (draw === undefined || pgft === undefined) return { node: (id) => id, link: () => (id) => id }
  const { m, w } = pgft
  const orders = (sizes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
    sizes.map((size) => draw.sample([...Array(size).keys()], size))
  const children = orders(m)
  const parallel = orders(w)
  return {
    // Digits of a node, least significant first: the index on the leaf, the index of the leaf in the pod, and so on.
    node: (id) => relabelled(id, children),
    link: (level) => {
      const upPorts = levels[level].firstPort[1]
      const parents = w[level + 1]
      // Digits of a switch: the index among parallel switches is least significant, the index of the subtree follows.
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

/** Replaces each digit of a mixed-radix number, least significant digit first. */
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
