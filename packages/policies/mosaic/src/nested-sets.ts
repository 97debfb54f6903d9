/**
 * Sizes of nested sets of links that are enough for any flows among a row of switches, switch `j` with at most `flows[j]` of its own:
 * each set holds those of all switches behind it, or as many as any one needs. See CONDITION.md.
 *
 * @param sizes gets the sizes of the first `count` switches
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

/** No more flows leave a switch than there are elsewhere to go to. */
function crossing(own: number, total: number): number {
  return Math.min(own, total - own)
}
