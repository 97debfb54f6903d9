import type { Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Returns a checksum that reveals a later change of the ids; undefined if ids do not exist or do not ascend. */
export function checksumOf({ nodes: count, levels }: Topology, { nodes, links }: Resources): number | undefined {
  let sum = added(nodes.length, nodes, count)
  for (let level = 0; level < links.length && sum !== undefined; level++)
    sum = added(sum, links[level], levels[level]?.links ?? 0)
  return sum
}

function added(start: number, ids: ArrayLike<number>, count: number): number | undefined {
  let sum = start
  let previous = -1
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]
    if (!(id > previous && id < count) || (id | 0) !== id) return undefined
    sum = (Math.imul(sum, 31) + id) | 0
    previous = id
  }
  return sum
}

/** Returns a cheap checksum of the number of nodes and of the first and last ids of nodes and lowest links. */
export function endsOf({ nodes, links }: Resources): number {
  const first = links[0]
  const ofLinks = first === undefined || first.length === 0 ? 0 : first[0] + 31 * first[first.length - 1]
  return nodes.length === 0
    ? ofLinks
    : (nodes.length + 31 * nodes[0] + 961 * nodes[nodes.length - 1] + 29791 * ofLinks) | 0
}
