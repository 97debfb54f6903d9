import type { FlowPaths } from './flow-paths.ts'

/**
 * Groups that have to do with each other: those whose flows share a link, directly or by way of others.
 *
 * @param groupOfFlow a dense integer for each flow, such as its job
 * @returns the groups of each component, ascending, in the order of their first ones
 */
export function sharingComponents(
  { flows, first, links }: FlowPaths,
  groupOfFlow: ArrayLike<number>,
  groups: number,
): ReadonlyArray<ReadonlyArray<number>> {
  const parent = Int32Array.from({ length: groups }, (_, group) => group)
  const rootOf = (group: number): number => {
    let root = group
    while (parent[root] !== root) root = parent[root] = parent[parent[root]]
    return root
  }
  const ownerOfLink = new Map<number, number>()
  for (let flow = 0; flow < flows; flow++) {
    for (let at = first[flow]; at < first[flow + 1]; at++) {
      const owner = ownerOfLink.get(links[at])
      if (owner === undefined) ownerOfLink.set(links[at], groupOfFlow[flow])
      else if (owner !== groupOfFlow[flow]) join(parent, rootOf(owner), rootOf(groupOfFlow[flow]))
    }
  }
  const components = new Map<number, Array<number>>()
  for (let group = 0; group < groups; group++) {
    const root = rootOf(group)
    const found = components.get(root)
    if (found === undefined) components.set(root, [group])
    else found.push(group)
  }
  return [...components.values()]
}

/** The lower of two roots becomes that of both. */
function join(parent: Int32Array, one: number, other: number): void {
  parent[Math.max(one, other)] = Math.min(one, other)
}
