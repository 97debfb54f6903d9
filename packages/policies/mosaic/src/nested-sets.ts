/**
 * Computes the sizes of nested sets of links for a row of switches, in which switch `j` sends and gets at most
 * `flows[j]` flows. The sizes suffice for any flows between the switches. The set of a switch has a link for each flow
 * of the switch and of all later switches in the row, but at most as many links as the largest switch needs. The file
 * CONDITION.md has the proof.
 *
 * @param sizes output array for the sizes of the first `count` switches
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

/** Number of flows that can leave a switch: at most its own flows, and at most the flows of all other switches. */
function crossing(own: number, total: number): number {
  return Math.min(own, total - own)
}
