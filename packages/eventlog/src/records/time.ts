/** Times in memory are integer milliseconds, in records seconds with at most 3 decimals. */

/** The largest time, in milliseconds (31,000 years): up to it every millisecond has a spelling of its own in seconds. */
export const MAX_MS = 1e15

export function isMilliseconds(ms: number): boolean {
  return Number.isInteger(ms) && ms >= 0 && ms <= MAX_MS
}

/** Whether `t` is a time in seconds as a record has it. */
export function isTime(t: number): boolean {
  const ms = milliseconds(t)
  return isMilliseconds(ms) && ms / 1000 === t
}

/** Integer milliseconds from a record's seconds. */
export function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

/** Seconds from one time of a record to another, which a subtraction would give with wrong last bits. */
export function secondsBetween(from: number, to: number): number {
  return (milliseconds(to) - milliseconds(from)) / 1000
}
