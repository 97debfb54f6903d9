/** Undefined where any of the values is. */
export function allKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  return values.length > 0 && values.every((value) => value !== undefined) ? values : undefined
}

/** Those of the values that are known; undefined where none is. */
export function anyKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? known : undefined
}
