/** Allowed numbers of vertices of a part: the integers from `least` to `most`. */
export interface PartSize {
  readonly least: number
  readonly most: number
}

/**
 * Returns sizes of parts that are equal within a tolerance, in whole vertices: at least ⌊average / tolerance⌋, and at
 * most the larger of ⌈average⌉ and ⌊average · tolerance⌋.
 *
 * @throws RangeError if there are no parts, or if the tolerance is below 1
 */
export function evenSizes(vertices: number, parts: number, tolerance: number): ReadonlyArray<PartSize> {
  if (!Number.isSafeInteger(parts) || parts < 1) throw new RangeError(`found ${parts} parts, expected at least 1`)
  if (!(tolerance >= 1)) throw new RangeError(`found a tolerance of ${tolerance}, expected at least 1`)
  const average = vertices / parts
  // The addition of 1e-9 gives the whole number for a product that is a whole number except for rounding errors.
  const least = Math.floor(average / tolerance + 1e-9)
  const most = Math.max(Math.ceil(average), Math.floor(average * tolerance + 1e-9))
  return Array.from({ length: parts }, () => ({ least, most }))
}
