import type { SlurmJob, UnreadJob } from '@cloister/slurm'

/** Observation of the cluster at one time. */
export interface Observation {
  /** Time of the observation: integer milliseconds since t = 0 of the log, later than any earlier observation. */
  readonly now: number
  /** All jobs that Slurm lists. Jobs of other partitions may hold nodes of the machine. */
  readonly jobs: ReadonlyArray<SlurmJob>
  /** Jobs in squeue's output with values that cannot be parsed: the log gets no events of these jobs. */
  readonly unread: ReadonlyArray<UnreadJob>
  /** Nodes to which Slurm gives no job, ascending. */
  readonly useless: ArrayLike<number>
}

/** The `AdminComment` of a job that the controller places. The submitting user or a submit plugin of Slurm sets it. */
export const MARK = 'cloister'
/** The `AdminComment` of a job that the controller has left to Slurm again. */
export const HANDED_BACK = 'cloister-handed-back'

/** Returns true if the controller places the job: the job carries the mark and is in this partition alone. */
export function isDriven(job: SlurmJob, partition: string): boolean {
  return job.mark === MARK && job.partition === partition
}

/** Finds the mark `cloister` as a word in a longer AdminComment, for example of another submit plugin. */
const holdsMark = /\bcloister\b/i

/** Explains why no controller can place a held job with the mark; undefined for every other job. */
export function markDefect(job: SlurmJob, partition: string): string | undefined {
  if (job.phase !== 'pending' || !job.isHeld || !isIn(job.partition, partition)) return undefined
  if (job.mark === HANDED_BACK || isDriven(job, partition) || !holdsMark.test(job.mark)) return undefined
  return job.mark === MARK
    ? `its partition is ${job.partition}, expected ${partition} alone`
    : `its AdminComment is ${JSON.stringify(job.mark)}, expected ${MARK} alone`
}

/** Explains why a held job with the mark, and with values that cannot be parsed, cannot be placed; else undefined. */
export function unreadDefect(
  { isHeld, mark, partition: named, reason }: UnreadJob,
  partition: string,
): string | undefined {
  return isHeld && isIn(named, partition) && mark !== HANDED_BACK && holdsMark.test(mark) ? reason : undefined
}

/** Slurm separates the partitions of one job by commas. */
export function isIn(named: string, partition: string): boolean {
  return named.split(',').includes(partition)
}

export function areSameNodes(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.prototype.every.call(a, (node: number, at: number) => node === b[at])
}
