import { type Job, parseMoment, SpecError } from '@cloister/workload'

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
  /** Number of allocated graphics processors, or else of requested graphics processors; 0 for none. */
  readonly gpus: number
  /** Number of processors; 0 if the accounting does not state the number. */
  readonly cpus: number
  /** Part of Slurm that started the run; undefined if unknown. */
  readonly startedBy: StartedBy | undefined
  readonly labels: JobLabels
}

/** Part of a scheduler that starts a job: the main scheduler, its backfilling, or the submission itself. */
export type StartedBy = 'main' | 'backfill' | 'submit'

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
  'QOS',
  'Reservation',
  'Priority',
  'Flags',
] as const

/** Name of a field of `sacct` that the reader of Slurm's accounting uses. */
export type AccountingField = (typeof accountingFields)[number]

/** Labels of a job: the optional fields of a `Job` that do not concern times or size. */
export type JobLabels = Pick<
  Job,
  | 'user'
  | 'account'
  | 'queue'
  | 'name'
  | 'qos'
  | 'advanceReservation'
  | 'priority'
  | 'gpus'
  | 'array'
  | 'arrayTask'
  | 'hetJob'
  | 'hetOffset'
  | 'bandwidth'
  | 'communication'
>

/** Labels of the array or the heterogeneous job that the id of a job in Slurm's form names: `12_3`, `12_[4-9]`, `12+1`. */
export function labelsOfId(jobId: string): Pick<JobLabels, 'array' | 'arrayTask' | 'hetJob' | 'hetOffset'> {
  const [, id, sign, part] = /^(\d+)([_+])(\d{1,15}|\[)/.exec(jobId) ?? []
  if (id === undefined) return {}
  if (sign === '+') return { hetJob: id, hetOffset: Number(part) }
  return part === '[' ? { array: id } : { array: id, arrayTask: Number(part) }
}

/** States of a run after which Slurm may run the job again (`sacct -D` has a row for each run). */
const requeueing: ReadonlySet<string> = new Set(['REQUEUED', 'NODE_FAIL', 'PREEMPTED', 'BOOT_FAIL', 'RESIZING'])

/**
 * Joins the rows of Slurm's accounting that belong to one job. A requeued job keeps the submit time and eligible time
 * of its first run, and the other fields of its last run. The components of a heterogeneous job become one job, which
 * starts on the nodes of all components at once. `joined` has the number of rows that became a part of another row's
 * job, by kind. A kind without rows is absent.
 */
export function jobsOfRows(rows: ReadonlyArray<AccountingRow>): {
  readonly jobs: ReadonlyArray<AccountingRow>
  readonly joined: Readonly<Record<string, number>>
} {
  const runs = joinRows(rows, accountedId, (before, row) =>
    isRunAgain(before, row) ? { ...row, submit: before.submit, eligible: before.eligible } : undefined,
  )
  const jobs = joinComponents(runs)
  const counts = {
    'earlier runs of requeued jobs': rows.length - runs.length,
    'further components of heterogeneous jobs': runs.length - jobs.length,
  }
  return { jobs, joined: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) }
}

/** Joins the rows of the components of each heterogeneous job. Each run of a requeued job keeps a separate row. */
export function joinComponents(rows: ReadonlyArray<AccountingRow>): ReadonlyArray<AccountingRow> {
  return joinRows(
    rows,
    ({ jobId }) => /^(\d+)\+\d+$/.exec(jobId)?.[1],
    (before, row) => (before.submit === row.submit && before.line !== row.line ? together(before, row) : undefined),
  )
}

/**
 * Joins each row into the latest row with the same key, if `join` returns a joined row. A row without a key stays as it
 * is.
 */
function joinRows(
  rows: ReadonlyArray<AccountingRow>,
  keyOf: (row: AccountingRow) => string | undefined,
  join: (before: AccountingRow, row: AccountingRow) => AccountingRow | undefined,
): ReadonlyArray<AccountingRow> {
  const places = new Map<string, number>()
  const jobs: Array<AccountingRow> = []
  for (const row of rows) {
    const key = keyOf(row)
    const place = key === undefined ? undefined : places.get(key)
    const joined = place === undefined ? undefined : join(jobs[place], row)
    if (joined !== undefined) jobs[place!] = joined
    else {
      if (key !== undefined) places.set(key, jobs.length)
      jobs.push(row)
    }
  }
  return jobs
}

/** Returns an id that differs from the ids of all other jobs: `rawId` if known, else `jobId`. */
export function accountedId({ jobId, rawId }: AccountingRow): string {
  return rawId >= 0 ? String(rawId) : jobId
}

function isRunAgain(before: AccountingRow, row: AccountingRow): boolean {
  return requeueing.has(before.state) && row.submit >= before.submit && (row.start < 0 || row.start > before.start)
}

function together(a: AccountingRow, b: AccountingRow): AccountingRow {
  return {
    ...a,
    rawId: a.rawId >= 0 && b.rawId >= 0 ? Math.min(a.rawId, b.rawId) : a.rawId,
    eligible: Math.max(a.eligible, b.eligible),
    end: a.end < 0 || b.end < 0 ? -1 : Math.max(a.end, b.end),
    elapsed: Math.max(a.elapsed, b.elapsed),
    limit: a.limit < 0 || b.limit < 0 ? -1 : Math.max(a.limit, b.limit),
    nodes: a.nodes + b.nodes,
    nodeList: [a.nodeList, b.nodeList].filter((list) => list !== '').join(','),
    gpus: a.gpus + b.gpus,
    cpus: a.cpus + b.cpus,
    labels: labelsTogether(a.labels, b.labels),
  }
}

function labelsTogether({ hetOffset: _first, ...a }: JobLabels, b: JobLabels): JobLabels {
  const gpus = (a.gpus ?? 0) + (b.gpus ?? 0)
  return { ...a, ...(gpus > 0 && { gpus }) }
}

// Readers of the values in Slurm's accounting (sacct). Readers of times and states return undefined for a wrong text.

/** Returns the seconds of a duration, `[DD-]HH:MM:SS` or `MM:SS`; undefined for any other text. */
export function durationSeconds(text: string): number | undefined {
  const [, days = '0', hours = '0', minutes, seconds] =
    /^(?:(?:(\d{1,5})-)?(\d{1,2}):)?(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (minutes === undefined || Number(minutes) > 59 || Number(seconds) > 59 || Number(hours) > 23) return undefined
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/**
 * Returns the seconds of a time limit in a form that users write: `[DD-]HH:MM:SS`, `MM:SS`, `DD-HH`, `DD-HH:MM`, or a
 * number of minutes. Returns undefined for any other text.
 */
export function limitSeconds(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 60
  const [, days, hours, minutes = '0'] = /^(\d{1,5})-(\d{1,2})(?::(\d{2}))?$/.exec(text) ?? []
  if (days === undefined) return durationSeconds(text)
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60
}

/** Returns the Unix seconds of a time such as `2014-08-01T12:00:00`, read as UTC; undefined for any other text. */
export function timeSeconds(text: string): number | undefined {
  return text.includes('T') ? parseMoment(text) : undefined
}

/**
 * Returns the number of graphics processors in a text such as `gres/gpu:a100=2,gres/gpu=2,node=1`; 0 for none, and
 * undefined for a count that is no whole number.
 */
export function gpusOf(tres: string): number | undefined {
  if (!tres.includes('gres/gpu')) return 0
  if (/(?:^|,)gres\/gpu(?::[^=,]*)?=(?!\d{1,9}(?:,|$))/.test(tres)) return undefined
  const all = /(?:^|,)gres\/gpu=(\d{1,9})(?:,|$)/.exec(tres)
  if (all !== null) return Number(all[1])
  let typed = 0
  for (const [, gpus] of tres.matchAll(/(?:^|,)gres\/gpu:[^=,]*=(\d{1,9})/g)) typed += Number(gpus)
  return typed
}

/** Returns the number of processors in a text such as `billing=4,cpu=32,node=1`; 0 for none. */
export function cpusOf(tres: string): number {
  return Number(/(?:^|,)cpu=(\d{1,9})(?:,|$)/.exec(tres)?.[1] ?? 0)
}

/** Returns the number of nodes in a text such as `billing=4,node=1`; -1 if the text states no number of nodes. */
export function nodesOf(tres: string): number {
  return Number(/(?:^|,)node=(\d{1,9})(?:,|$)/.exec(tres)?.[1] ?? -1)
}

/**
 * Returns the part of Slurm that started a run, from the words of the field `Flags` (`SchedMain`, in JSON
 * `STARTED_ON_SCHEDULE`); `unknown` if no word names a part, and undefined if words name different parts.
 */
export function startedByOf(words: ReadonlyArray<string>): StartedBy | 'unknown' | undefined {
  const parts = new Set(words.flatMap((word) => startFlags.get(word) ?? []))
  return parts.size > 1 ? undefined : ([...parts][0] ?? 'unknown')
}

const startFlags = new Map<string, StartedBy>([
  ['SchedMain', 'main'],
  ['SchedBackfill', 'backfill'],
  ['SchedSubmit', 'submit'],
  ['STARTED_ON_SCHEDULE', 'main'],
  ['STARTED_ON_BACKFILL', 'backfill'],
  ['STARTED_ON_SUBMIT', 'submit'],
])

const statusOfState: Readonly<Record<string, number>> = {
  COMPLETED: 1,
  FAILED: 0,
  TIMEOUT: 0,
  NODE_FAIL: 0,
  OUT_OF_MEMORY: 0,
  BOOT_FAIL: 0,
  DEADLINE: 0,
  PREEMPTED: 0,
  CANCELLED: 5,
  REVOKED: 5,
  PENDING: -1,
  RUNNING: -1,
  SUSPENDED: -1,
  COMPLETING: -1,
  CONFIGURING: -1,
  REQUEUED: -1,
  RESIZING: -1,
}

/**
 * Returns the word of a state: `CANCELLED` for `CANCELLED by 1234` and for the shortened `CANCELLED+`; undefined for a
 * state that is not in `slurmStates`.
 */
export function stateWord(state: string): string | undefined {
  const word = /^[A-Z_]+(?=\+?$| by .+$)/.exec(state)?.[0] ?? ''
  return Object.hasOwn(statusOfState, word) ? word : undefined
}

/** Returns the status in SWF for a state of `slurmStates`: 1 completed, 0 failed, 5 cancelled, -1 not ended. */
export function swfStatus(state: string): number {
  return statusOfState[state]
}

/** States of Slurm that the readers know, as `squeue` and `sacct` write them: `COMPLETED`, `NODE_FAIL`. */
export const slurmStates: ReadonlyArray<string> = Object.keys(statusOfState)

/** Function that returns the seconds by which the clocks of a place are ahead of UTC, at a time in Unix seconds. */
export type UtcOffset = (time: number) => number

/**
 * Returns a reader of times as Slurm writes them: Unix seconds (`SLURM_TIME_FORMAT=%s`), or date and time of day by the
 * clocks of a place. The reader returns Unix seconds; undefined for a text that is no such time. If clocks are set
 * back, a time of day occurs twice: the reader then takes the later instant in places east of Greenwich, and the
 * earlier instant in places west of Greenwich.
 */
export function timeReader(offsetAt: UtcOffset = () => 0): (text: string) => number | undefined {
  return (text) => {
    if (/^\d{1,12}$/.test(text)) return Number(text)
    const local = timeSeconds(text)
    if (local === undefined) return undefined
    const guess = local - offsetAt(local)
    return local - offsetAt(guess)
  }
}

/** Returns the constant offset of `UTC` or of a text such as `+02:00`. @throws SpecError for any other text */
export function fixedOffset(zone: string): UtcOffset {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):([0-5]\d)$/.exec(zone) ?? []
  if (zone !== 'UTC' && sign === undefined) throw new SpecError('time zone', zone, 'UTC, or an offset such as +02:00')
  const seconds = zone === 'UTC' ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60)
  return () => seconds
}
