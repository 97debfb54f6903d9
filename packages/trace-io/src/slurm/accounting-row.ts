import type { JobLabels } from '../job-labels.ts'

/** Row of Slurm's accounting: one run of a job. Times are Unix seconds. An unknown number is -1, an unknown text ''. */
export interface AccountingRow {
  /** Line of the file, from 1; for JSON the position in the list of jobs, from 1. */
  readonly line: number
  /** Id as Slurm spells it: `12`, `12_3` of an array, `12+1` of a heterogeneous job. */
  readonly jobId: string
  /** Number that no other job has, not even in an array. */
  readonly rawId: number
  readonly submit: number
  /** Time from which the job could start: all dependencies and the begin time were over. */
  readonly eligible: number
  readonly start: number
  readonly end: number
  /** Run time in seconds. */
  readonly elapsed: number
  /** Walltime in seconds; -1 also for a job without limit. */
  readonly limit: number
  /** Number of allocated nodes; requested nodes while the job waits; 0 if neither is known. */
  readonly nodes: number
  /** State, from the list `slurmStates`. */
  readonly state: string
  /** Hostlist of the allocated nodes. */
  readonly nodeList: string
  readonly restarts: number
  /** Number of graphics processors, 0 for none: the larger of allocated and requested; with JSON the allocated. */
  readonly gpus: number
  /** Number of processors; 0 if the accounting does not state it. */
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

/** Fields of `sacct` that the reader uses. */
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

/** Name of a field of `sacct` that the reader uses. */
export type AccountingField = (typeof accountingFields)[number]
