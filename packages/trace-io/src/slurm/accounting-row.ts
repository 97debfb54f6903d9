import type { JobLabels } from '../job-labels.ts'

/** What Slurm's accounting says of one run of a job. Times are Unix seconds; -1 where a number is not known, '' where a text is not. */
export interface AccountingRow {
  /** Of the file, from 1. */
  readonly line: number
  /** As Slurm spells it: `12`, `12_3` of an array, `12+1` of a heterogeneous job. */
  readonly jobId: string
  /** The number that the job alone has, also in an array. */
  readonly rawId: number
  readonly submit: number
  /** When it could have started: dependencies and begin times are over. */
  readonly eligible: number
  readonly start: number
  readonly end: number
  /** Seconds that it ran. */
  readonly elapsed: number
  /** Seconds that its user asked for; -1 for no limit too. */
  readonly limit: number
  /** Nodes that it was given; those that it asks for while it waits. */
  readonly nodes: number
  /** One of `slurmStates`. */
  readonly state: string
  /** A hostlist. */
  readonly nodeList: string
  readonly restarts: number
  /** Graphics processors that it was given, 0 for none. */
  readonly gpus: number
  /** Processors of the job; 0 if the accounting does not say how many. */
  readonly cpus: number
  readonly labels: JobLabels
}

/** States in which a job has not ended. */
export const openStates: ReadonlySet<AccountingRow['state']> = new Set([
  'PENDING',
  'RUNNING',
  'SUSPENDED',
  'COMPLETING',
  'CONFIGURING',
])

/** Fields of `sacct` that are read. */
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

/** A field of `sacct` that is read. */
export type AccountingField = (typeof accountingFields)[number]
