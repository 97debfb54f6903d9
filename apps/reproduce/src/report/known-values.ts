/** Returns the values if all values are known; undefined if a value is undefined, or if there are no values. */
export function allKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  return values.length > 0 && values.every((value) => value !== undefined) ? values : undefined
}

/** Returns the known values; undefined if no value is known. */
export function anyKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? known : undefined
}
