import {
  type Allocate,
  type Header,
  headerTopology,
  type Kill,
  type LogRecord,
  secondsBetween,
  type Submit,
} from '@cloister/eventlog'
import { formatHostlist, nodeName, idsetSize, parseIdset, type Topology } from '@cloister/topology'
import { type JobRun, jobRuns } from './job-runs.ts'

/** Job ids that count as numbers: at most 15 digits, because sacct rows replace other ids by larger numbers. */
const numericId = /^[1-9]\d{0,14}$/

/**
 * Yields the jobs of a log in the Standard Workload Format, version 2.2, in submit order, with the waits in the log
 * (field 3). A processor of the file is a node of the log. Times are rounded down to whole seconds; a note in the file
 * counts the jobs with rounded times. If a job id is no number, all ids become places in submit order, from 1.
 */
export function* swfOfLog(records: Iterable<LogRecord>): Generator<string, void> {
  const { header, jobs } = jobRuns(records)
  const { nodes } = headerTopology(header)
  const numbered = jobs.every(({ submit: { job } }) => numericId.test(job))
  const rounded = jobs.filter(({ submit, allocate, end }) =>
    [submit.t, allocate?.t ?? 0, end ?? 0].some((time) => !Number.isInteger(time)),
  ).length
  const directives = [
    ['Version', '2.2'],
    ['Computer', header.topology.name],
    ['MaxJobs', jobs.length],
    ['MaxRecords', jobs.length],
    ...(header.epoch === undefined ? [] : [['UnixStartTime', Math.floor(header.epoch)] as const]),
    ['MaxNodes', nodes],
    ['MaxProcs', nodes],
    ['Note', `${header.workload.name} as ${header.policy.name} ${header.policy.version} scheduled it`],
    ...(header.part === undefined
      ? []
      : [['Note', `a part of a run, from ${header.part.from} s to ${header.part.until} s`] as const]),
    ...(numbered
      ? []
      : [['Note', 'job numbers are places in the log, because some job ids of the log are no numbers'] as const]),
    ...(rounded === 0 ? [] : [['Note', `times of ${rounded} jobs were rounded down to whole seconds`] as const]),
  ] as const
  for (const [name, value] of directives) yield `; ${name}: ${ascii(String(value))}\n`
  let place = 0
  for (const job of jobs) yield `${swfValues(job, numbered ? job.submit.job : String(++place)).join(' ')}\n`
}

/** Status of SWF for each outcome of a job: 0 failed or killed, 1 completed, 5 cancelled or rejected, -1 not ended. */
const statuses: Readonly<Record<JobRun['outcome'], number>> = {
  finished: 1,
  failed: 0,
  killed: 0,
  rejected: 5,
  cancelled: 5,
  running: -1,
  waiting: -1,
}

function swfValues({ submit, outcome, allocate, end }: JobRun, id: string): ReadonlyArray<string | number> {
  const wait = allocate === undefined ? -1 : Math.floor(secondsBetween(submit.t, allocate.t))
  const run = allocate === undefined || end === undefined ? -1 : Math.floor(secondsBetween(allocate.t, end))
  const allocated = allocate === undefined ? -1 : idsetSize(allocate.nodes)
  const requested = submit.estimate === undefined ? -1 : Math.floor(submit.estimate)
  return [
    id,
    Math.floor(submit.t),
    wait,
    run,
    allocated,
    -1,
    -1,
    submit.size,
    requested,
    -1,
    statuses[outcome],
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
  ]
}

function ascii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}

const sacctFields = [
  'JobID',
  'JobIDRaw',
  'Submit',
  'Eligible',
  'Start',
  'End',
  'ElapsedRaw',
  'Timelimit',
  'NNodes',
  'State',
  'Partition',
  'User',
  'Account',
  'NodeList',
  'Restarts',
  'AllocTRES',
  'ReqTRES',
  'QOS',
  'Reservation',
  'Priority',
  'Flags',
] as const

/** Word of the field `Flags` for the part of Slurm that started a job. */
const startFlags = { main: 'SchedMain', backfill: 'SchedBackfill', submit: 'SchedSubmit' } as const

/** Numbers above this number replace ids that are no numbers. */
const UNNUMBERED = 1e15

/** Unix seconds of t = 0 if the header of the log has no `epoch`: the start of the year 2020. */
const EPOCH = 1_577_836_800

/**
 * Yields the jobs of a log in the format of `SLURM_TIME_FORMAT=%s sacct -a -X -D -P`: a row for every run of a job,
 * with its nodes, and a row for every job without a run. Times are rounded down to whole seconds. If the log holds a
 * part of a run, runs that ended before the part have no row. Jobs with ids that are no numbers get the numbers
 * above `UNNUMBERED`, in order of submission.
 */
export function* sacctOfLog(records: Iterable<LogRecord>): Generator<string, void> {
  yield `${sacctFields.join('|')}\n`
  let rows: Rows | undefined
  let from = 0
  for (const record of records) {
    if (record.type === 'header') {
      rows = new Rows(record)
      from = record.part?.from ?? 0
    } else if (rows !== undefined) for (const row of rows.of(record)) if (record.t >= from) yield row
  }
  if (rows !== undefined) yield* rows.open()
}

const stateOfKill: Readonly<Record<Kill['code'], string>> = {
  estimate: 'TIMEOUT',
  'node-down': 'NODE_FAIL',
  unroutable: 'NODE_FAIL',
  reservation: 'PREEMPTED',
  cancel: 'CANCELLED',
  preempted: 'PREEMPTED',
  requeued: 'REQUEUED',
}

/** A submitted job that may still get a row: a job until it is rejected, or is cancelled while it waits. */
interface OpenJob {
  readonly submit: Submit
  readonly number: string
  runs: number
  allocate: Allocate | undefined
}

class Rows {
  readonly #epoch: number
  readonly #topology: Topology
  readonly #open = new Map<string, OpenJob>()
  /** Number of jobs so far whose ids are no numbers. */
  #unnumbered = 0

  constructor(header: Header) {
    this.#epoch = header.epoch ?? EPOCH
    this.#topology = headerTopology(header)
  }

  *of(record: Exclude<LogRecord, Header>): Generator<string, void> {
    if (record.type === 'submit') {
      const number = numericId.test(record.job) ? record.job : String(UNNUMBERED + ++this.#unnumbered)
      this.#open.set(record.job, { submit: record, number, runs: 0, allocate: undefined })
      return
    }
    const job = 'job' in record ? this.#open.get(record.job) : undefined
    if (job === undefined) return
    switch (record.type) {
      case 'allocate':
        // A move is no start.
        job.allocate = record.moved === undefined ? record : { ...record, t: job.allocate?.t ?? record.t }
        break
      case 'finish':
        yield this.#row(job, record.status === 'failed' ? 'FAILED' : 'COMPLETED', record.t)
        break
      case 'kill':
        yield this.#row(job, stateOfKill[record.code], record.t)
        break
      case 'reject':
      case 'cancel':
        if (job.allocate !== undefined) return
        yield this.#row(job, 'CANCELLED', record.t)
        this.#open.delete(record.job)
    }
  }

  /** Yields the rows of runs that have not ended at the last record, and of jobs that wait for their first start. */
  *open(): Generator<string, void> {
    for (const job of this.#open.values())
      if (job.allocate !== undefined) yield this.#row(job, 'RUNNING', undefined)
      else if (job.runs === 0) yield this.#row(job, 'PENDING', undefined)
  }

  /** Returns the row of a job's present run, or of a job without a run, and clears the run: the job may start again. */
  #row(job: OpenJob, state: string, end: number | undefined): string {
    const { submit, number, allocate, runs } = job
    const nodes = allocate === undefined ? undefined : parseIdset(allocate.nodes)
    const time = (t: number | undefined): string => (t === undefined ? 'Unknown' : String(this.#epoch + Math.floor(t)))
    const elapsed = allocate === undefined || end === undefined ? 0 : Math.floor(end) - Math.floor(allocate.t)
    job.runs++
    job.allocate = undefined
    const { array, array_task: task } = submit
    return `${[
      array === undefined || task === undefined ? number : `${array}_${task}`,
      number,
      time(submit.t),
      time(submit.t),
      time(allocate?.t),
      time(end),
      elapsed,
      submit.estimate === undefined ? 'UNLIMITED' : duration(submit.estimate),
      nodes?.length ?? submit.size,
      state,
      ...[submit.queue, submit.user, submit.account].map(printable),
      nodes === undefined ? 'None assigned' : formatHostlist([...nodes].map((node) => nodeName(this.#topology, node))),
      runs,
      gpuCount(allocate === undefined ? undefined : (allocate.gpus ?? submit.gpus)),
      gpuCount(submit.gpus),
      ...[submit.qos, submit.advance_reservation].map(printable),
      submit.priority ?? '',
      allocate?.started_by === undefined ? '' : startFlags[allocate.started_by],
    ].join('|')}\n`
  }
}

function gpuCount(gpus: number | undefined): string {
  return gpus === undefined ? '' : `gres/gpu=${gpus}`
}

/** Returns a duration as `[DD-]HH:MM:SS`, rounded up to whole seconds. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  const days = Math.floor(whole / 86_400)
  const time = [Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60].map(two).join(':')
  return days === 0 ? time : `${days}-${time}`
}

/** Replaces the separators of values and rows in a text by `_`; empty for undefined. */
function printable(text: string | undefined): string {
  return (text ?? '').replaceAll(/[|\r\n]/g, '_')
}
