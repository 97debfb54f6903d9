export function sum(values: ReadonlyArray<number>): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Returns the mean of values; 0 for no values. */
export function mean(values: ReadonlyArray<number>): number {
  return values.length === 0 ? 0 : sum(values) / values.length
}

/** Returns `value / base`; undefined if `value` or `base` is undefined, or if `base` is 0. */
export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined || base === 0 ? undefined : value / base
}

/** Returns the least value; Infinity for no values. A call of `Math.min` with very many arguments would fail. */
export function least(values: ReadonlyArray<number>): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity)
}

/** Returns the largest value; -Infinity for no values. */
export function most(values: ReadonlyArray<number>): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity)
}

/**
 * Returns the quantile of values at a share from 0 to 1, without interpolation.
 *
 * @param values at least one value, in ascending order
 */
export function quantile(values: ReadonlyArray<number>, share: number): number {
  return values[Math.round(share * (values.length - 1))]
}
