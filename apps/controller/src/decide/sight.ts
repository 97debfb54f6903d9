import type { SlurmJob } from '@cloister/slurm'

/** What the controller was told of the cluster at one time. */
export interface Sight {
  /** Integer milliseconds since the start of the log, later than any before. */
  readonly now: number
  /** All jobs that Slurm knows on the nodes of the machine. */
  readonly jobs: ReadonlyArray<SlurmJob>
  /** Nodes that Slurm gives to no job, ascending. */
  readonly useless: ArrayLike<number>
}

/** The `AdminComment` of a job that the controller places: who submits it, or Slurm's plugin for that, sets it. */
export const MARK = 'cloister'
/** That of one which it has left to Slurm again. */
export const HANDED_BACK = 'cloister-handed-back'

/** Whether the controller places the job: it is marked, and of the partition. */
export function isDriven(job: SlurmJob, partition: string): boolean {
  return job.mark === MARK && job.partition === partition
}

export function areSameNodes(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.prototype.every.call(a, (node: number, at: number) => node === b[at])
}
