export function sum(values: ReadonlyArray<number>): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Returns the mean; 0 for no values. */
export function mean(values: ReadonlyArray<number>): number {
  return values.length === 0 ? 0 : sum(values) / values.length
}

/** Returns the ratio; undefined if a value is unknown or the base is 0. */
export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined || base === 0 ? undefined : value / base
}

/** Returns the least value; Infinity for no values. A loop, because the values are too many for arguments of a call. */
export function least(values: ReadonlyArray<number>): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity)
}

/** Returns the largest value; -Infinity for no values. */
export function most(values: ReadonlyArray<number>): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity)
}

/** Returns the value at a share of the way from the least to the most. @param values ascending, not empty */
export function quantile(values: ReadonlyArray<number>, share: number): number {
  return values[Math.round(share * (values.length - 1))]
}
