/** How many vertices a part may have: whole numbers, both included. */
export interface PartSize {
  readonly least: number
  readonly most: number
}

/**
 * Sizes of parts that are equal within a tolerance: at most `tolerance` times the average and at least the average over it,
 * in whole vertices. With a tolerance of 1 they differ by one at most.
 *
 * @throws RangeError where there are no parts, or the tolerance is below 1
 */
export function evenSizes(vertices: number, parts: number, tolerance: number): ReadonlyArray<PartSize> {
  if (!Number.isSafeInteger(parts) || parts < 1) throw new RangeError(`found ${parts} parts, expected at least 1`)
  if (!(tolerance >= 1)) throw new RangeError(`found a tolerance of ${tolerance}, expected at least 1`)
  const average = vertices / parts
  // What is a whole number but for rounding is that number.
  const least = Math.floor(average / tolerance + 1e-9)
  const most = Math.max(Math.ceil(average), Math.floor(average * tolerance + 1e-9))
  return Array.from({ length: parts }, () => ({ least, most }))
}
