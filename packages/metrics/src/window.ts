import { type Header, milliseconds } from '@cloister/eventlog'

/** Times of a run, in seconds. Records at both bounds belong to it. */
export interface Window {
  readonly from: number
  readonly until: number
}

/** Times that the figures of a log are of, in ms. */
export interface WindowOfLog {
  readonly from: number
  readonly until: number
  /** True if the log is a part of a run: then the state at `from` is known, even if the part has no earlier record. */
  readonly isPart: boolean
}

/**
 * Returns the window that the figures of a log cover; undefined for a whole run. The window of a part of a run, and a given
 * window, bound each other.
 */
export function windowOfLog({ part }: Header, asked: Window | undefined): WindowOfLog | undefined {
  if (part === undefined && asked === undefined) return undefined
  const times = [part, asked].filter((each) => each !== undefined)
  const until = Math.min(...times.map((each) => milliseconds(each.until)))
  const from = Math.min(until, Math.max(...times.map((each) => milliseconds(each.from))))
  return { from, until, isPart: part !== undefined }
}
