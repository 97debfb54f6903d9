import { performance } from 'node:perf_hooks'

/** Longest time in ms for an answer of a program, unless a time limit of the run is shorter. */
const LONGEST_MS = 60_000

/**
 * Returns the milliseconds of `performance.now`. The conformance suite replaces the clock of policies, and programs are
 * asked within calls of policies.
 */
export const now: () => number = performance.now.bind(performance)

/** Time limit for an answer: `left` of `limit` milliseconds are left. */
export interface TimeLeft {
  readonly left: number
  readonly limit: number
}

let deadline = { until: Infinity, limit: 0 }
let longest = LONGEST_MS
let longestStart = LONGEST_MS

/**
 * Sets the longest time in ms for each later answer of a program, and for the answer to `hello`, which includes the
 * start of the program. Default of both: 60 s.
 */
export function limitAnswers(milliseconds: number, start: number = LONGEST_MS): void {
  longest = milliseconds
  longestStart = start
}

/** Runs `run`. Programs that are asked meanwhile have at most the given time in ms together. */
export function withDeadline<Result>(milliseconds: number, run: () => Result): Result {
  const before = deadline
  const until = now() + milliseconds
  if (until < before.until) deadline = { until, limit: milliseconds }
  try {
    return run()
  } finally {
    deadline = before
  }
}

/** Returns the time that a program has for its answer to a question. */
export function timeForAnswer(type: string): TimeLeft {
  if (type === 'hello') return { left: longestStart, limit: longestStart }
  const left = deadline.until - now()
  return left < longest ? { left, limit: deadline.limit } : { left: longest, limit: longest }
}
