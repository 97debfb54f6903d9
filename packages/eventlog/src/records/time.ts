/** Times in memory are integer milliseconds. Times in records are seconds with at most 3 decimals. */

/** Largest time of a log in ms (31,000 years): up to this time, every millisecond has its own spelling in seconds. */
export const MAX_MS = 1e15

export function isMilliseconds(ms: number): boolean {
  return Number.isInteger(ms) && ms >= 0 && ms <= MAX_MS
}

/** Returns true if `t` is a time of a record: seconds from 0 to 10^12 with at most 3 decimals. */
export function isTime(t: number): boolean {
  const ms = milliseconds(t)
  return isMilliseconds(ms) && ms / 1000 === t
}

/** Returns the integer milliseconds of a record's seconds. */
export function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

/** Returns `to - from` in seconds, without the rounding errors of a plain subtraction. */
export function secondsBetween(from: number, to: number): number {
  return (milliseconds(to) - milliseconds(from)) / 1000
}
