/** Times in memory are integer milliseconds, in records seconds with at most 3 decimals. */

/** The largest time, in milliseconds (31,000 years): up to it every millisecond has a spelling of its own in seconds. */
const MAX_MS = 1e15

export function isMilliseconds(ms: number): boolean {
  return Number.isInteger(ms) && ms >= 0 && ms <= MAX_MS
}

/** Whether `t` is a time in seconds as a record has it. */
export function isTime(t: number): boolean {
  const ms = Math.round(t * 1000)
  return isMilliseconds(ms) && ms / 1000 === t
}
