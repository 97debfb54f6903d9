import type { JobLabels } from '../job-labels.ts'

/** Row of Slurm's accounting: one run of a job. Times are Unix seconds. An unknown number is -1, an unknown text ''. */
export interface AccountingRow {
  /** Line of the file, from 1; for JSON the position in the list of jobs, from 1. */
  readonly line: number
  /**
   * Id of the job in Slurm's form: `12`, `12_3` for a task of an array, `12+1` for a component of a heterogeneous job.
   */
  readonly jobId: string
  /** Number that is different for each job, also for the tasks of an array; -1 if unknown. */
  readonly rawId: number
  readonly submit: number
  /** Time from which the job could start, because all its dependencies had ended and its begin time had come. */
  readonly eligible: number
  readonly start: number
  readonly end: number
  /** Run time in seconds. */
  readonly elapsed: number
  /** Walltime in seconds; -1 if the walltime is unknown or the job has no limit. */
  readonly limit: number
  /** Number of allocated nodes; if 0 or unknown, the number of requested nodes; 0 if both numbers are 0 or unknown. */
  readonly nodes: number
  /** State of the run, from the list `slurmStates`. */
  readonly state: string
  /** Hostlist of the allocated nodes; empty if the nodes are unknown or the run had none. */
  readonly nodeList: string
  readonly restarts: number
  /** Number of graphics processors: allocated or requested, the larger number (in JSON, only allocated); 0 for none. */
  readonly gpus: number
  /** Number of processors; 0 if the accounting does not state the number. */
  readonly cpus: number
  readonly labels: JobLabels
}

/** States of jobs that have not ended. */
export const openStates: ReadonlySet<AccountingRow['state']> = new Set([
  'PENDING',
  'RUNNING',
  'SUSPENDED',
  'COMPLETING',
  'CONFIGURING',
])

export const accountingFields = [
  'JobID',
  'JobIDRaw',
  'Submit',
  'Eligible',
  'Start',
  'End',
  'Elapsed',
  'ElapsedRaw',
  'Timelimit',
  'TimelimitRaw',
  'NNodes',
  'ReqNodes',
  'AllocNodes',
  'State',
  'NodeList',
  'Restarts',
  'AllocTRES',
  'ReqTRES',
  'NCPUS',
  'AllocCPUS',
  'ReqCPUS',
  'User',
  'Account',
  'Partition',
  'JobName',
] as const

/** Name of a field of `sacct` that the reader of Slurm's accounting uses. */
export type AccountingField = (typeof accountingFields)[number]
