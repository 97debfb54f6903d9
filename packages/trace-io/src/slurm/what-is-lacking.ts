import type { AccountingField } from './accounting-row.ts'
import type { Contradictions } from './contradictions.ts'
import type { NodeSharing } from './node-sharing.ts'

/** Facts of a file of Slurm's accounting besides its jobs, and its missing fields. */
export interface AccountingFacts {
  /** Missing fields, each with the fact that the field would give. */
  readonly lacks: ReadonlyArray<{ readonly field: string; readonly gives: string }>
  /** Command that prints a file without missing fields. */
  readonly command: string
  /** Number of jobs with graphics processors; undefined if the file does not state them. */
  readonly gpuJobs: number | undefined
  /** Jobs that shared nodes; undefined if the file has no node lists, has too many names, or the options do not ask. */
  readonly nodeSharing: NodeSharing | undefined
  /** Rows with fields that contradict each other. */
  readonly contradictions: Contradictions
}

const uses: ReadonlyArray<readonly [fields: ReadonlyArray<AccountingField>, gives: string]> = [
  [['JobIDRaw'], 'the number that each job of an array has alone'],
  [['Eligible'], 'when jobs could start: every job arrives at its submission, without regard to dependencies'],
  [['Start'], 'how long jobs waited'],
  [['End'], 'when jobs ended'],
  [['TimelimitRaw', 'Timelimit'], 'what users asked for, the estimates of backfilling'],
  [['NodeList'], 'the nodes of jobs, and jobs on shared nodes'],
  [['AllocTRES', 'ReqTRES'], 'which jobs used graphics processors'],
  [['User'], 'whose jobs they are'],
  [['Account'], 'the accounts of jobs'],
  [['Partition'], 'the partitions of jobs'],
]

/** Fields to ask `sacct` for. Slurm 22.05 has all of them: `sacct` prints nothing if it lacks a field. */
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

/** Returns the missing fields of a file. @param fields fields of the file; undefined if the file has all fields */
export function whatIsLacking(fields: ReadonlySet<AccountingField> | undefined): AccountingFacts['lacks'] {
  if (fields === undefined) return []
  return uses
    .filter(([either]) => !either.some((field) => fields.has(field)))
    .map(([[field], gives]) => ({ field, gives }))
}
