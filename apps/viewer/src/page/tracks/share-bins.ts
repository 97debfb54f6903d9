import { LINK_SHARE } from '../../run/link-use.ts'

/** Names of the bins of used shares of links. The widths of bins halve towards 0 % and 100 %, which matter most. */
export const shareBins: ReadonlyArray<string> = [
  'none',
  '≤ 6 %',
  '≤ 12.5 %',
  '≤ 25 %',
  '≤ 50 %',
  '≤ 75 %',
  '≤ 87.5 %',
  '≤ 94 %',
  '< 100 %',
  'all',
]

/** Returns the index of the bin of a used share. @param share share in units of 1/10000, from 0 to 10000 */
export function binOf(share: number): number {
  if (share <= 0) return 0
  if (share >= LINK_SHARE) return shareBins.length - 1
  const [used, free] = [share / LINK_SHARE, 1 - share / LINK_SHARE]
  return used <= 0.5 ? Math.max(1, Math.ceil(Math.log2(used)) + 5) : Math.min(8, 3 - Math.floor(Math.log2(free)))
}
