/**
 * The first of the places 0 … `count` - 1 of an ordered list that `isBefore` is false for; `count` where it is true for all.
 * A binary search: the test must be true for all places before some one, and false from there on.
 *
 * @example
 * ```ts
 * const ends = [10, 20, 20, 30]
 * lowerBound(ends.length, (at) => ends[at] < 20) // 1: where 20 is, or would be inserted
 * ```
 */
export function lowerBound(count: number, isBefore: (place: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
