import { type AccountingRow, sacctRows, slurmStates } from '@cloister/trace-io'

/** What is asked of `squeue`, by its own names, and what the accounting calls the same. */
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
 * Arguments of `squeue` for what `parseSqueue` reads: all jobs that the controller still knows, ended ones too. Names of jobs, which
 * users choose, are not among the fields: they could look like other fields. Needs `SLURM_TIME_FORMAT=%s` in the environment.
 */
export const squeueArguments: ReadonlyArray<string> = [
  '--noheader',
  '--all',
  '--array',
  '--states=all',
  `--Format=${fields.map(([field]) => `${field}:|`).join()}`,
]

/** How many of a line `parseSqueue` reads. */
export const squeueFields: number = fields.length

/** What `squeue` prints of a job, by its names. */
export type SqueueValues = Readonly<Record<(typeof fields)[number][0], string>>

const heading = fields.map(([, name]) => name).join('|')
const place = Object.fromEntries(fields.map(([, name], at) => [name, at])) as Record<(typeof fields)[number][1], number>
const unknown: ReadonlySet<string> = new Set(['N/A', '(null)', 'NOT_SET', 'n/a'])

/**
 * Reads what `squeue` prints, as rows of the accounting. The starts and ends that Slurm expects are left out, and states that only
 * the controller has (`STOPPED`, `SIGNALING`) are those of a job that runs, where it has nodes, or waits.
 *
 * @throws TraceError at the first line that is none
 */
export function parseSqueue(text: string): ReadonlyArray<AccountingRow> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return rowsOfQueue(
    lines.map((line) => line.replace(/\|\s*$/, '').split('|')),
    'squeue',
  )
}

/** The rows of jobs whose values are known by the names of `squeue`, wherever they come from. @throws TraceError */
export function rowsOfValues(jobs: ReadonlyArray<SqueueValues>, file: string): ReadonlyArray<AccountingRow> {
  return rowsOfQueue(
    jobs.map((job) => fields.map(([field]) => job[field])),
    file,
  )
}

function rowsOfQueue(jobs: ReadonlyArray<ReadonlyArray<string>>, file: string): ReadonlyArray<AccountingRow> {
  return sacctRows([heading, ...jobs.map(asAccounting)].join('\n'), file)
}

/** The values of a job in the accounting's spelling. */
function asAccounting(given: ReadonlyArray<string>): string {
  const values = given.map((value) => (unknown.has(value.trim()) ? '' : value.trim()))
  if (values.length !== fields.length) return values.join('|')
  const state = stateIn(values[place.State], values[place.NodeList] !== '')
  values[place.State] = state
  if (state === 'PENDING') {
    // Where it may use several numbers of nodes, NumNodes is the largest, and TRES has the least.
    const [, least] = /(?:^|,)node=(\d+)(?:,|$)/.exec(values[place.AllocTRES]) ?? []
    values[place.NNodes] = least ?? values[place.NNodes].replace(/-.*$/, '')
    values[place.Start] = ''
    values[place.NodeList] = ''
  }
  if (state === 'PENDING' || state === 'RUNNING') values[place.End] = ''
  return values.join('|')
}

const open: ReadonlySet<string> = new Set(['SUSPENDED', 'COMPLETING', 'CONFIGURING', 'RESIZING', 'REQUEUED'])

function stateIn(text: string, hasNodes: boolean): string {
  if (slurmStates.includes(text) && !open.has(text)) return text
  return hasNodes ? 'RUNNING' : 'PENDING'
}
