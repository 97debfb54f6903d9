import type { Topology } from '@cloister/topology'
import type { Draw } from './draw.ts'

/** Where nodes and links of a regular tree go when equal subtrees change places. */
export interface Relabeling {
  readonly node: (id: number) => number
  readonly link: (level: number) => (id: number) => number
}

/**
 * A random symmetry of a regular tree: the children of all switches of a level are relabelled alike, and so are parallel
 * switches, so that connected switches stay connected. Without draws everything stays where it is.
 */
export function relabeling({ pgft, levels }: Topology, draw: Draw | undefined): Relabeling {
  if (draw === undefined || pgft === undefined) return { node: (id) => id, link: () => (id) => id }
  const { m, w } = pgft
  const orders = (sizes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
    sizes.map((size) => draw.sample([...Array(size).keys()], size))
  const children = orders(m)
  const parallel = orders(w)
  return {
    // Least significant first: the place on the leaf, the leaf in its pod, …
    node: (id) => relabelled(id, children),
    link: (level) => {
      const upPorts = levels[level].firstPort[1]
      const parents = w[level + 1]
      // A switch is numbered by the subtree that it is in, then by which of the parallel ones it is.
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

/** A mixed-radix number with each digit replaced, least significant first. */
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
