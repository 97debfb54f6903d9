/** Returns the first index at which `isBefore` is false, by binary search; `count` if no index below `count` is. */
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
