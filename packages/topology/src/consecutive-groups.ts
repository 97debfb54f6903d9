/**
 * Groups consecutive parts of a machine, such as leaves into blocks. Each group has the fewest parts with at least
 * `nodes` nodes together (`nodes` > 0); the last group may have fewer nodes.
 *
 * @param firstNode first node of each part, then the number of all nodes: `firstNodeOfLeaf` for leaves
 * @returns number of the first part of each group, then the number of all parts
 * @example consecutiveGroups([0, 9, 18, 27], 18) // [0, 2, 3]: the first two leaves, and the third
 */
export function consecutiveGroups(firstNode: ArrayLike<number>, nodes: number): Int32Array {
  const first: Array<number> = [0]
  const parts = firstNode.length - 1
  for (let part = 1; part <= parts; part++)
    if (part === parts || firstNode[part] - firstNode[first[first.length - 1]] >= nodes) first.push(part)
  return Int32Array.from(first)
}
