/** Undefined where any of the values is. */
export function allKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  return values.length > 0 && values.every((value) => value !== undefined) ? values : undefined
}

/** Those of the values that are known; undefined where none is. */
export function anyKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? known : undefined
}

/** 0 of none. */
export function mean(values: ReadonlyArray<number>): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Undefined where one of them is not known, or there is nothing to compare with. */
export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined || base === 0 ? undefined : value / base
}
