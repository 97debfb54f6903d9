import {
  type Finish,
  type Header,
  headerTopology,
  type Kill,
  type LogRecord,
  milliseconds,
  resourcesOf,
  type Submit,
} from '@cloister/eventlog'
import { labelsOf, type Outage } from '@cloister/kernel'
import type { Topology } from '@cloister/topology'
import { type SwfTrace, swfFields } from '@cloister/trace-io'

/** Machine of a log, with its outages ordered by time. Times are integer milliseconds of the log. */
export interface RecordedMachine {
  readonly topology: Topology
  readonly outages: ReadonlyArray<Outage>
}

/** Jobs and machine of a log, for a run under other options. */
export interface RecordedJobs {
  readonly trace: SwfTrace
  readonly machine: RecordedMachine
}

/**
 * Returns the jobs of a log as a trace: arrivals, sizes, walltimes, run times, labels, bandwidth and communication. The
 * run time of a job is its exact estimate if the log has exact estimates, else the length of the job's last run without
 * slowdown by other jobs, or unknown if the job never started or still ran at the end of the log. If a record has the
 * time at which an event happened, this time counts instead of the record's time.
 *
 * @throws RangeError if the log has no header
 */
export function recordedJobs(records: Iterable<LogRecord>, file: string): RecordedJobs {
  const jobs = new Map<string, RecordedJob>()
  const outages: Array<Outage> = []
  let header: Header | undefined
  for (const record of records) {
    if (record.type === 'header') header = record
    else if (record.type === 'submit') jobs.set(record.job, new RecordedJob(record))
    else if (record.type === 'down' || record.type === 'up')
      outages.push({ time: timeOf(record), change: record.type, resources: resourcesOf(record) })
    else if ('job' in record) jobs.get(record.job)?.follow(record)
  }
  if (header === undefined) throw new RangeError('a log begins with its header')
  const topology = headerTopology(header)
  return {
    trace: traceOf([...jobs.values()], header, file),
    machine: { topology, outages: outages.sort((a, b) => a.time - b.time) },
  }
}

/** Job of a log, followed record by record. Times are milliseconds. */
class RecordedJob {
  readonly submit: Submit
  /** Start of the job's last run; undefined before the job's first run. */
  start: number | undefined
  runTime: number | undefined
  status = -1
  /** Rate since the time `since`, in 1/1000. Until `since`, the last run has made `done` milliseconds of progress. */
  #rate = 1000
  #since = 0
  #done = 0

  constructor(submit: Submit) {
    this.submit = submit
  }

  follow(record: Exclude<LogRecord, Header>): void {
    switch (record.type) {
      case 'allocate':
        this.start = this.#since = timeOf(record)
        this.#done = 0
        this.#rate = 1000
        this.runTime = undefined
        break
      case 'progress':
        this.#progress(timeOf(record))
        this.#rate = record.rate
        break
      case 'finish':
      case 'kill':
        if (this.start !== undefined) this.#end(record)
        break
      case 'withdraw':
        this.runTime = undefined
        break
      case 'cancel':
        this.status = 5
    }
  }

  #end(record: Finish | Kill): void {
    this.#progress(timeOf(record))
    // A job killed at its estimate has an unknown run time; with 1 ms more, the same rule kills the job again.
    this.runTime = Math.round(this.#done) + (record.type === 'kill' && record.code === 'estimate' ? 1 : 0)
    if (record.type === 'finish') this.status = record.status === 'failed' ? 0 : 1
    else this.status = record.code === 'cancel' ? 5 : 0
  }

  #progress(now: number): void {
    this.#done += (Math.max(0, now - this.#since) * this.#rate) / 1000
    this.#since = now
  }
}

function timeOf(record: { readonly t: number; readonly happened?: number }): number {
  return milliseconds(record.happened ?? record.t)
}

function traceOf(jobs: ReadonlyArray<RecordedJob>, header: Header, file: string): SwfTrace {
  const columns = Object.fromEntries(
    swfFields.map((field) => [field, new Float64Array(jobs.length).fill(-1)]),
  ) as unknown as SwfTrace['columns']
  const exact = header.origin === 'simulated' && header.options.estimates === 'exact'
  const [users, groups, queues] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  for (const [row, { submit, start: began, runTime, status }] of jobs.entries()) {
    const at = timeOf(submit)
    const walltime = submit.walltime ?? (header.options.estimates === 'requested' ? submit.estimate : undefined)
    columns.job[row] = /^\d{1,12}$/.test(submit.job) ? Number(submit.job) : -1
    columns.submit[row] = at / 1000
    columns.wait[row] = began === undefined || began < at ? -1 : (began - at) / 1000
    columns.runTime[row] =
      exact && submit.estimate !== undefined ? submit.estimate : runTime === undefined ? -1 : runTime / 1000
    columns.allocatedProcs[row] = began === undefined ? -1 : submit.size
    columns.requestedProcs[row] = submit.size
    columns.requestedTime[row] = walltime ?? -1
    columns.status[row] = status
    columns.user[row] = numberOf(submit.user, users)
    columns.group[row] = numberOf(submit.account, groups)
    columns.queue[row] = numberOf(submit.queue, queues)
    columns.partition[row] = columns.queue[row]
  }
  const { epoch } = header
  return {
    file,
    comments: [],
    directives: epoch === undefined ? [] : [{ line: 1, name: 'UnixStartTime', value: String(epoch) }],
    jobs: jobs.length,
    lines: Int32Array.from(jobs, ({ submit }) => submit.seq + 1),
    columns,
    onParts: Uint8Array.from(jobs, ({ submit }) => (submit.smaller_than_node === true ? 1 : 0)),
    labels: jobs.map(({ submit }) => labelsOf(submit)),
    ids: jobs.map(({ submit }) => submit.job),
  }
}

/** Returns a number for a label: the label itself if numeric, else 1, 2, … by first appearance; -1 for undefined. */
function numberOf(name: string | undefined, numbers: Map<string, number>): number {
  if (name === undefined) return -1
  if (/^\d{1,12}$/.test(name)) return Number(name)
  if (!numbers.has(name)) numbers.set(name, numbers.size + 1)
  return numbers.get(name)!
}
