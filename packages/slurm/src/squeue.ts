import { type AccountingRow, accountingReader, slurmStates } from '@cloister/trace-io'
import { recordsIn } from './separated.ts'

/** Fields of `squeue`, each with the name of the same field in the accounting. */
const fields = [
  ['JobArrayID', 'JobID'],
  ['State', 'State'],
  ['SubmitTime', 'Submit'],
  ['EligibleTime', 'Eligible'],
  ['StartTime', 'Start'],
  ['EndTime', 'End'],
  ['TimeLimit', 'Timelimit'],
  ['NumNodes', 'NNodes'],
  ['NodeList', 'NodeList'],
  ['UserName', 'User'],
  ['Account', 'Account'],
  ['Partition', 'Partition'],
  ['RestartCnt', 'Restarts'],
  ['tres-alloc', 'AllocTRES'],
] as const

/**
 * Returns the arguments of `squeue` for `parseSqueue`, which ask for all jobs in the memory of slurmctld, also for
 * ended jobs. The command needs `SLURM_TIME_FORMAT=%s` in the environment.
 *
 * @param separator result of `separatorOf`, new for each command
 * @param more additional fields of `squeue`, printed after the fields of `parseSqueue`
 */
export function squeueArguments(separator: string, more: ReadonlyArray<string> = []): ReadonlyArray<string> {
  const all = [...fields.map(([field]) => field), ...more]
  const format = all.map((field) => `${field}:${separator}`).join()
  return ['--noheader', '--all', '--array', '--states=all', `--Format=${format}`]
}

export const squeueFields: number = fields.length

export type SqueueValues = Readonly<Record<(typeof fields)[number][0], string>>

const names = fields.map(([, name]) => name)
const place = Object.fromEntries(fields.map(([, name], at) => [name, at])) as Record<(typeof fields)[number][1], number>
const unknown: ReadonlySet<string> = new Set(['N/A', '(null)', 'NOT_SET', 'n/a'])

/**
 * Parses the output of `squeue` for `squeueArguments` into rows of the accounting. Slurm's expected times of future
 * starts and ends are omitted. A state that the accounting lacks (`STOPPED`), or that a job soon leaves (`CONFIGURING`),
 * becomes `RUNNING` for a job with nodes, and `PENDING` for a job without nodes. `COMPLETING` stays for a job with nodes.
 *
 * @param separator separator in the arguments of `squeue` that gave the text
 * @throws TraceError for the first job with a wrong value, or with a wrong number of values
 */
export function parseSqueue(text: string, separator: string): ReadonlyArray<AccountingRow> {
  return rowsIn(recordsIn(text, separator, fields.length, 'squeue'), 'squeue')
}

/**
 * Returns rows of the accounting for jobs with the values of `squeue`.
 *
 * @throws TraceError for the first job with a wrong value
 */
export function rowsOfValues(jobs: ReadonlyArray<SqueueValues>, file: string): ReadonlyArray<AccountingRow> {
  return rowsIn(
    jobs.map((job) => fields.map(([field]) => job[field])),
    file,
  )
}

export function squeueValues(values: ReadonlyArray<string>): SqueueValues {
  const entries = fields.map(([field], at) => [field, values[at].trim()])
  return Object.fromEntries(entries) as SqueueValues
}

function rowsIn(records: ReadonlyArray<ReadonlyArray<string>>, file: string): ReadonlyArray<AccountingRow> {
  const read = squeueReader(file)
  return records.map((values, at) => read(at + 1, values)).filter((row) => row !== undefined)
}

/** Returns a reader of one job's values in the order of `squeueArguments`; it throws a TraceError for a wrong value. */
export function squeueReader(file: string): (line: number, values: ReadonlyArray<string>) => AccountingRow | undefined {
  const read = accountingReader(file, names)
  return (line, values) => read(line, asAccounting(values))
}

function asAccounting(given: ReadonlyArray<string>): ReadonlyArray<string> {
  const values = given.map((value) => (unknown.has(value.trim()) ? '' : value.trim()))
  const state = stateIn(values[place.State], values[place.NodeList] !== '')
  values[place.State] = state
  if (state === 'PENDING') {
    // If a waiting job accepts several numbers of nodes, NumNodes is the largest, and tres-alloc has the smallest.
    const [, least] = /(?:^|,)node=(\d+)(?:,|$)/.exec(values[place.AllocTRES]) ?? []
    values[place.NNodes] = least ?? values[place.NNodes].replace(/-.*$/, '')
    values[place.Start] = ''
    values[place.NodeList] = ''
  }
  if (state === 'PENDING' || state === 'RUNNING' || state === 'COMPLETING') values[place.End] = ''
  return values
}

const open: ReadonlySet<string> = new Set(['SUSPENDED', 'CONFIGURING', 'RESIZING', 'REQUEUED'])

function stateIn(text: string, hasNodes: boolean): string {
  if (text === 'COMPLETING' && !hasNodes) return 'PENDING'
  if (slurmStates.includes(text) && !open.has(text)) return text
  return hasNodes ? 'RUNNING' : 'PENDING'
}
