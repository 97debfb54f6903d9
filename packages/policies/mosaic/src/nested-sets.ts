/**
 * Computes the sizes of nested sets of links for a row of switches, in which switch `j` sends and gets at most
 * `flows[j]` flows. The sizes suffice for any flows. A set has a link for each flow of its switch and of all later
 * switches, but at most as many links as the largest switch needs. See CONDITION.md.
 *
 * @param sizes array for the sizes of the first `count` switches
 */
export function nestedSizes(flows: ArrayLike<number>, count: number, sizes: Int32Array): void {
  let total = 0
  for (let j = 0; j < count; j++) total += flows[j]
  let most = 0
  for (let j = 0; j < count; j++) most = Math.max(most, crossing(flows[j], total))
  let behind = 0
  for (let j = count - 1; j >= 0; j--) {
    behind += crossing(flows[j], total)
    sizes[j] = Math.min(most, behind)
  }
}

/** Returns the most flows that can leave a switch: its own flows, but not more than the flows of all other switches. */
function crossing(own: number, total: number): number {
  return Math.min(own, total - own)
}
