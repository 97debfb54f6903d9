export function sum(values: ReadonlyArray<number>): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Returns the mean of values; 0 for no values. */
export function mean(values: ReadonlyArray<number>): number {
  return values.length === 0 ? 0 : sum(values) / values.length
}

/** Returns `value / base`; undefined if `value` or `base` is undefined, or if `base` is 0. */
export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return base === 0 ? undefined : ofBoth(value, base, (one, other) => one / other)
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

/** Returns the values if all values are known; undefined if a value is undefined, or if there are no values. */
export function allKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  return values.length > 0 && values.every((value) => value !== undefined) ? values : undefined
}

/** Returns the result of `combine` for two known values; undefined if a value is undefined. */
export function ofBoth<A, B, C>(a: A | undefined, b: B | undefined, combine: (a: A, b: B) => C): C | undefined {
  return a === undefined || b === undefined ? undefined : combine(a, b)
}

/** Returns `a - b`; undefined if one is undefined. */
export function difference(a: number | undefined, b: number | undefined): number | undefined {
  return ofBoth(a, b, (one, other) => one - other)
}

/** Returns the known values; undefined if no value is known. */
export function anyKnown<A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? known : undefined
}

/** Points of a curve, in the order of rising `x`. */
export type Curve = ReadonlyArray<{ readonly x: number; readonly y: number }>

/**
 * Returns the `x` from which on a curve stays at or below a level. The `x` lies on the straight line from the curve's
 * last point above the level to the next point. If no point is above the level, returns the first `x`. Returns
 * undefined if the last point is above the level, or if the curve has no points.
 */
export function threshold(curve: Curve, level: number): number | undefined {
  const last = curve.findLastIndex(({ y }) => y > level)
  if (last === curve.length - 1) return undefined
  if (last < 0) return curve[0].x
  const [above, below] = [curve[last], curve[last + 1]]
  return above.x + ((above.y - level) / (above.y - below.y)) * (below.x - above.x)
}

export function percent(share: number, digits: number = 1): string {
  return `${(share * 100).toFixed(digits)} %`
}

/** Returns the text of a share in percent with two digits. */
export function finePercent(share: number): string {
  return percent(share, 2)
}

/** Returns a number as a text with commas between thousands. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** Returns the text of a value in a table: `-` if the value is missing. */
export function orDash(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? '-' : show(value)
}

export function threeDigits(value: number): string {
  return value.toFixed(3)
}

/** Returns the text of seconds as hours with two digits. */
export function hours(seconds: number): string {
  return (seconds / 3600).toFixed(2)
}
