import { lowerBound } from '@cloister/topology'
import { type Allocation, endsBefore } from './allocation.ts'
import { StateError } from './state-error.ts'

/** Returns the index at which a list in the order of `endsBefore` has, or would have, an allocation. */
function positionOf(running: ReadonlyArray<Allocation>, allocation: Allocation): number {
  return lowerBound(running.length, (at) => endsBefore(running[at], allocation))
}

export function insertJob(running: Array<Allocation>, allocation: Allocation): void {
  running.splice(positionOf(running, allocation), 0, allocation)
}

/** @throws StateError if the job is not in the list */
export function removeJob(running: Array<Allocation>, allocation: Allocation): void {
  const at = positionOf(running, allocation)
  if (running[at] !== allocation) throw new StateError(`job ${allocation.job} is not running`)
  running.splice(at, 1)
}

export function copyJobs(from: ReadonlyArray<Allocation>, into: Array<Allocation>): void {
  into.length = from.length
  for (let i = 0; i < from.length; i++) into[i] = from[i]!
}

/** Returns true if two lists have jobs with equal ids and estimated ends in equal order. */
export function areSameJobs(some: ReadonlyArray<Allocation>, others: ReadonlyArray<Allocation>): boolean {
  return (
    some.length === others.length &&
    some.every(({ job, estimatedEnd }, at) => job === others[at].job && estimatedEnd === others[at].estimatedEnd)
  )
}
