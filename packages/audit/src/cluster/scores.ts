import type { Job } from './jobs.ts'

/** Score of jobs in a queue order, by formulas of the auditor. The job with the lowest score is first; ties by submission. */
export interface QueueOrder {
  /** True if the score of a job never changes. */
  readonly isFixed: boolean
  /** True if a job joins the queue at the time `eligible` of its submit record. */
  readonly isRecorded?: true
  /** Returns the score of a job that waits at a time, in ms. */
  score(job: Job, now: number): number
  /** Prepares scores at a time, in ms. @param running all running jobs */
  begin?(now: number, running: Iterable<Job>): void
  /** Learns that a job releases its allocation at a time, in ms. */
  release?(job: Job, now: number): void
  /** Returns true if rounding in another JavaScript engine, or in a sum in another order, may exchange two jobs. */
  isInDoubt?(a: Job, b: Job): boolean
}

/** Logarithms and powers of two JavaScript engines differ by a few units in the last of 53 bits. */
const TOLERANCE = 1e-11

/** Returns true if two different scores may differ by rounding alone. */
export function areClose(a: number, b: number, tolerance: number = 0): boolean {
  const gap = Math.abs(a - b)
  return gap !== Infinity && gap > 0 && gap <= tolerance + TOLERANCE * Math.max(Math.abs(a), Math.abs(b))
}
