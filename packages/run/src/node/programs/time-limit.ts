import { performance } from 'node:perf_hooks'

/** Longest time in ms for an answer of a program, unless a time limit of the run is shorter. */
const LONGEST_MS = 60_000

/**
 * Returns the milliseconds of `performance.now`. The conformance suite replaces the clock of policies, and programs are
 * asked within calls of policies.
 */
export const now: () => number = performance.now.bind(performance)

let until = Infinity
let longest = LONGEST_MS

/** Sets the longest time in ms for each later answer of a program. */
export function limitAnswers(milliseconds: number): void {
  longest = milliseconds
}

/** Runs `run`. Programs that are asked meanwhile have at most the given time in ms together. */
export function withDeadline<Result>(milliseconds: number, run: () => Result): Result {
  const before = until
  until = Math.min(until, now() + milliseconds)
  try {
    return run()
  } finally {
    until = before
  }
}

/** Returns the time in ms that a program has for its next answer. */
export function timeForAnswer(): number {
  return Math.max(0, Math.min(longest, until - now()))
}
