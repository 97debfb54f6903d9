import { milliseconds } from '../records/kinds.ts'
import type { Header } from '../records/types.ts'

/** A span of a run, in seconds. Records at `from` and at `until` belong to the window. */
export interface Window {
  readonly from: number
  readonly until: number
}

/** Span that the figures of a log cover, in ms. */
export interface WindowOfLog {
  readonly from: number
  readonly until: number
  /** True if the log is a part of a run. The state at `from` is then known, even if the log has no earlier record. */
  readonly isPart: boolean
}

/** Returns the overlap of the asked window and the part of a run that the log covers; undefined for a whole run. */
export function windowOfLog({ part }: Header, asked: Window | undefined): WindowOfLog | undefined {
  if (part === undefined && asked === undefined) return undefined
  const times = [part, asked].filter((each) => each !== undefined)
  const until = Math.min(...times.map((each) => milliseconds(each.until)))
  const from = Math.min(until, Math.max(...times.map((each) => milliseconds(each.from))))
  return { from, until, isPart: part !== undefined }
}
