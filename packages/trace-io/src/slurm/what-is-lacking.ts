import type { AccountingField } from './accounting-row.ts'
import type { Contradictions } from './contradictions.ts'
import type { NodeSharing } from './node-sharing.ts'

/** Facts of a file of Slurm's accounting besides its jobs. */
export interface AccountingFacts {
  /** Fields that the file lacks, each with the information that the field would give. */
  readonly lacks: ReadonlyArray<{ readonly field: string; readonly gives: string }>
  /** Command of Slurm that prints a file with all fields. */
  readonly command: string
  /** Number of jobs with graphics processors; undefined if the file does not state graphics processors. */
  readonly gpuJobs: number | undefined
  /**
   * Account of the jobs that shared nodes; undefined if the file has no lists of nodes or too many names of nodes, or
   * if the option `countsNodeSharing` is false.
   */
  readonly nodeSharing: NodeSharing | undefined
  readonly contradictions: Contradictions
}

const uses: ReadonlyArray<readonly [fields: ReadonlyArray<AccountingField>, gives: string]> = [
  [['JobIDRaw'], 'a separate number for each job of an array'],
  [
    ['Eligible'],
    'the time from which a job could start; without the field, every job arrives at its submit time, and dependencies count as waiting',
  ],
  [['Start'], 'the waiting times of jobs'],
  [['End'], 'the end times of jobs'],
  [['TimelimitRaw', 'Timelimit'], 'the walltimes of jobs, which are the estimates of backfilling'],
  [['NodeList'], 'the nodes of jobs, and jobs on shared nodes'],
  [['AllocTRES', 'ReqTRES'], 'the graphics processors of jobs'],
  [['User'], 'the users of jobs'],
  [['Account'], 'the accounts of jobs'],
  [['Partition'], 'the partitions of jobs'],
]

/**
 * Fields to ask `sacct` for. All exist in Slurm 22.05, because `sacct` prints nothing if asked for an unknown field.
 */
export const sacctFields = [
  'JobID',
  'JobIDRaw',
  'Submit',
  'Eligible',
  'Start',
  'End',
  'ElapsedRaw',
  'TimelimitRaw',
  'NNodes',
  'State',
  'Partition',
  'User',
  'Account',
  'NodeList',
  'AllocTRES',
] as const

/** Command for `sacct`: all users, no steps, every run of a requeued job, times as Unix seconds, nothing rounded. */
export const sacctCommand: string = `SLURM_TIME_FORMAT=%s sacct -a -X -D -P --noconvert -S FROM -E TO -o ${sacctFields.join()}`

/** Returns the fields that a file of Slurm's accounting lacks; none for undefined `fields`. */
export function whatIsLacking(fields: ReadonlySet<AccountingField> | undefined): AccountingFacts['lacks'] {
  if (fields === undefined) return []
  return uses
    .filter(([either]) => !either.some((field) => fields.has(field)))
    .map(([[field], gives]) => ({ field, gives }))
}
