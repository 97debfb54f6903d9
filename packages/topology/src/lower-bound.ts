/**
 * Returns the first index from 0 to `count` - 1 for which `isBefore` is false; `count` if there is none. The search is
 * binary: `isBefore` must be true for all indices below some index, and false from this index on.
 *
 * @example lowerBound(4, (at) => [10, 20, 20, 30][at] < 20) // 1: where 20 is, or would be inserted
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
