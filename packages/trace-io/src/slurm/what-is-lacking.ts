import type { AccountingField } from './accounting-row.ts'
import type { Contradictions } from './contradictions.ts'
import type { NodeSharing } from './node-sharing.ts'

/** What a file of Slurm's accounting has beyond its jobs, and what it lacks. */
export interface AccountingFacts {
  /** What cannot be told from the file, each by what would tell it. */
  readonly lacks: ReadonlyArray<{ readonly field: string; readonly gives: string }>
  /** The command that gives a file which lacks nothing. */
  readonly command: string
  /** Jobs that were given graphics processors; undefined where the file does not say. */
  readonly gpuJobs: number | undefined
  /** Jobs that shared nodes; undefined where the file does not say, or nobody asked. */
  readonly nodeSharing: NodeSharing | undefined
  /** Rows whose fields contradict each other. */
  readonly contradictions: Contradictions
}

const uses: ReadonlyArray<readonly [fields: ReadonlyArray<AccountingField>, gives: string]> = [
  [['JobIDRaw'], 'the number that each job of an array has alone'],
  [['Eligible'], 'when jobs could start: they arrive when they were submitted, whatever they depend on'],
  [['Start'], 'how long jobs waited'],
  [['End'], 'when jobs ended'],
  [['TimelimitRaw', 'Timelimit'], 'what users asked for, the estimates of backfilling'],
  [['NodeList'], 'where jobs ran, and which of them shared nodes'],
  [['AllocTRES', 'ReqTRES'], 'which jobs used graphics processors'],
  [['User'], 'whose jobs they are'],
  [['Account'], 'on whose account they ran'],
  [['Partition'], 'to which partition they went'],
]

/** The fields that `sacct` is asked for: such as that of Slurm 22.05 has, which prints nothing where it lacks one. */
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

/** What to ask `sacct` for: all users, no steps, every run of a requeued job, times as Unix seconds, nothing rounded. */
export const sacctCommand: string = `SLURM_TIME_FORMAT=%s sacct -a -X -D -P --noconvert -S FROM -E TO -o ${sacctFields.join()}`

/** @param fields those of the file; undefined where it has all */
export function whatIsLacking(fields: ReadonlySet<AccountingField> | undefined): AccountingFacts['lacks'] {
  if (fields === undefined) return []
  return uses
    .filter(([either]) => !either.some((field) => fields.has(field)))
    .map(([[field], gives]) => ({ field, gives }))
}
