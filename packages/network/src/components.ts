import type { FlowPaths } from './flow-paths.ts'

/**
 * Returns the connected components of groups of flows, such as jobs. Two groups are connected if flows of both share a
 * link, directly or through a chain of groups.
 *
 * @param groupOfFlow group of each flow as a dense integer
 * @returns the groups of each component, ascending; the components are in the order of their first groups
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

/** Joins the trees of two root groups: the group with the lower number becomes the root of both trees. */
function join(parent: Int32Array, one: number, other: number): void {
  parent[Math.max(one, other)] = Math.min(one, other)
}
