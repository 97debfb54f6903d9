import {
  accountingReader,
  type AccountingRow,
  type SlurmJson,
  slurmJsonList,
  slurmStates,
  TraceError,
} from '@cloister/trace-io'
import { recordsIn } from './commands.ts'

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
  ['PriorityLong', 'Priority'],
  ['QOS', 'QOS'],
  ['Reservation', 'Reservation'],
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

type SqueueValues = Readonly<Record<(typeof fields)[number][0], string>>

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

export function squeueValues(values: ReadonlyArray<string>): SqueueValues {
  const entries = fields.map(([field], at) => [field, values[at]?.trim() ?? ''])
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

/** Jobs in an answer of slurmrestd, as rows of the accounting. */
export interface RestJobs {
  readonly rows: ReadonlyArray<AccountingRow>
  /** Ids of arrays with more waiting tasks than slurmrestd's answer lists. */
  readonly cutArrays: ReadonlyArray<string>
}

const FILE = "slurmrestd's jobs"
/** Most jobs and waiting tasks of arrays in an answer of slurmrestd, more than any cluster allows (`MaxJobCount`). */
const MOST_TASKS = 2 ** 22
/** States of slurmrestd that replace a job's base state (`RUNNING`, `PENDING`), in Slurm's order of precedence. */
const firstStates = [
  'COMPLETING',
  'STAGE_OUT',
  'CONFIGURING',
  'RESIZING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'SPECIAL_EXIT',
  'STOPPED',
  'REVOKED',
  'RESV_DEL_HOLD',
  'SIGNALING',
]

/**
 * Parses the jobs in slurmrestd's answer to `/slurm/v0.0.…/jobs` into the rows that `parseSqueue` gives for `squeue
 * --array`. The API's version must be v0.0.37 or later: earlier versions do not name the users of jobs.
 *
 * @param partitions names of partitions: the result has only jobs of these partitions; empty for all partitions
 * @throws TraceError for the first job with a missing or wrong value
 */
export function parseRestJobs(text: string, partitions: ReadonlyArray<string> = []): RestJobs {
  const jobs: Array<SqueueValues> = []
  const cutArrays: Array<string> = []
  for (const job of slurmJsonList(text, 'jobs', FILE, 'the jobs of slurmrestd')) {
    const names = job.text('partition').split(',')
    if (partitions.length > 0 && !names.some((name) => partitions.includes(name))) continue
    const values = valuesOf(job)
    const array = job.number('array_job_id')
    const tasks = array > 0 && job.number('array_task_id') < 0 ? job.text('array_task_string') : ''
    if (tasks === '') jobs.push({ ...values, JobArrayID: idOf(job) })
    else {
      for (const task of tasksIn(tasks, job, MOST_TASKS - jobs.length))
        jobs.push({ ...values, JobArrayID: `${array}_${task}` })
      if (tasks.includes('...')) cutArrays.push(String(array))
    }
  }
  const records = jobs.map((job) => fields.map(([field]) => job[field]))
  return { rows: rowsIn(records, FILE), cutArrays }
}

function valuesOf(job: SlurmJson): Omit<SqueueValues, 'JobArrayID'> {
  const states = job.words('job_state')
  const [first] = states
  if (first === undefined) job.fail('job_state', 'a state such as RUNNING')
  const number = (path: string): string => String(Math.max(0, job.number(path)))
  /** slurmrestd gives the time 0 for a time that has not come or is not known. */
  const time = (path: string): string => (job.number(path) > 0 ? number(path) : '')
  return {
    State: firstStates.find((state) => states.includes(state)) ?? first,
    SubmitTime: time('submit_time'),
    EligibleTime: time('eligible_time'),
    StartTime: time('start_time'),
    EndTime: time('end_time'),
    // `time_limit` is in minutes; if the job has no limit, slurmrestd omits the field or gives infinity.
    TimeLimit: time('time_limit'),
    NumNodes: number('node_count'),
    NodeList: job.text('nodes'),
    UserName: job.text('user_name'),
    Account: job.text('account'),
    Partition: job.text('partition'),
    RestartCnt: number('restart_cnt'),
    'tres-alloc': job.text('tres_alloc_str') || job.text('tres_req_str'),
    PriorityLong: number('priority'),
    QOS: job.text('qos'),
    Reservation: job.text('resv_name'),
  }
}

function idOf(job: SlurmJson): string {
  const [array, task] = [job.number('array_job_id'), job.number('array_task_id')]
  if (array > 0 && task >= 0) return `${array}_${task}`
  const leader = job.number('het_job_id')
  if (leader > 0) return `${leader}+${Math.max(0, job.number('het_job_offset'))}`
  const id = job.number('job_id')
  return id > 0 ? String(id) : job.fail('job_id', 'the number of a job')
}

/** Yields the task numbers in a text such as `1-3,7,20-40:5%2`. slurmrestd ends a text that it cuts with `...`. */
function* tasksIn(text: string, job: SlurmJson, limit: number): Generator<number, void> {
  let left = limit
  for (const part of text.replace(/%\d+$/, '').split(',')) {
    if (part === '...') return
    const [, first, last = first, step = '1'] = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/.exec(part) ?? []
    if (first === undefined || Number(step) < 1) job.fail('array_task_string', 'tasks of an array such as 1-3,7')
    const count = Math.max(0, Math.floor((Number(last) - Number(first)) / Number(step)) + 1)
    if ((left -= count) < 0)
      throw new TraceError({
        file: FILE,
        found: 'too many tasks of arrays',
        expected: `at most ${MOST_TASKS} jobs and tasks`,
      })
    for (let at = 0; at < count; at++) yield Number(first) + at * Number(step)
  }
}
