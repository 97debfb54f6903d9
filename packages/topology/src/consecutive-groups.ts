/**
 * Groups consecutive parts of a machine, as few in each group as have so many nodes together: the rule by which leaves become blocks.
 * The last group may have fewer nodes.
 *
 * @param firstNode of each part, and the number of nodes after the last: `firstNodeOfLeaf` for leaves
 * @param nodes at least so many in a group; positive
 * @returns the first part of each group, and the number of parts after the last
 *
 * @example
 * ```ts
 * consecutiveGroups([0, 9, 18, 27], 18) // [0, 2, 3]: the first two leaves, and the third
 * ```
 */
export function consecutiveGroups(firstNode: ArrayLike<number>, nodes: number): Int32Array {
  const first: Array<number> = [0]
  const parts = firstNode.length - 1
  for (let part = 1; part <= parts; part++)
    if (part === parts || firstNode[part] - firstNode[first[first.length - 1]] >= nodes) first.push(part)
  return Int32Array.from(first)
}
