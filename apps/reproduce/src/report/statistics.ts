export function sum(values: ReadonlyArray<number>): number {
  return values.reduce((total, value) => total + value, 0)
}

/** 0 of none. */
export function mean(values: ReadonlyArray<number>): number {
  return values.length === 0 ? 0 : sum(values) / values.length
}

/** Undefined where one of them is not known, or there is nothing to compare with. */
export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined || base === 0 ? undefined : value / base
}

/** Infinity of none. A loop of its own: there are more jobs than arguments that a call can have. */
export function least(values: ReadonlyArray<number>): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity)
}

/** -Infinity of none. */
export function most(values: ReadonlyArray<number>): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity)
}

/** The value at a share of the way from the least to the most. @param values ascending, at least one */
export function quantile(values: ReadonlyArray<number>, share: number): number {
  return values[Math.round(share * (values.length - 1))]
}
