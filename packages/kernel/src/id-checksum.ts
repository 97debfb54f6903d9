import type { Resources } from '@cloister/placement'

/** Tells ids from those that stood in the same arrays before, or does so nearly always. */
export function checksumOf({ nodes, links }: Resources): number {
  let sum = added(nodes.length, nodes)
  for (let level = 0; level < links.length; level++) sum = added(sum, links[level])
  return sum
}

function added(sum: number, ids: ArrayLike<number>): number {
  for (let i = 0; i < ids.length; i++) sum = (Math.imul(sum, 31) + ids[i]) | 0
  return sum
}
