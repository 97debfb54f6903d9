/**
 * Returns the first place from 0 to `count - 1` at which `isBefore` is false, by binary search. Returns `count` if
 * `isBefore` is true at every place.
 */
export function lowerBound(count: number, isBefore: (place: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
