import {
  type Header,
  headerTopology,
  type LogRecord,
  milliseconds,
  railCablesOf,
  resourcesOf,
  RunTable,
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
  const table = new RunTable({ records: true, happened: true })
  const outages: Array<Outage> = []
  let header: Header | undefined
  for (const record of records) {
    if (record.type === 'header') header = record
    if (record.type === 'down' || record.type === 'up')
      outages.push({
        time: milliseconds(record.happened ?? record.t),
        change: record.type,
        resources: resourcesOf(record),
        ...railCablesOf(record),
      })
    table.add(record)
  }
  if (header === undefined) throw new RangeError('a log begins with its header')
  const topology = headerTopology(header)
  return {
    trace: traceOf(table, header, file),
    machine: { topology, outages: outages.sort((a, b) => a.time - b.time) },
  }
}

/** Returns the run time of a job at full rate in ms; -1 if the job's last run has no end or was withdrawn. */
function runTimeOf(table: RunTable, job: number): number {
  const [state, killCode] = [table.stateOf(job), table.killCodeOf(job)]
  if (state !== 'finished' && state !== 'failed' && killCode === undefined) return -1
  // A job killed at its estimate has an unknown run time; with 1 ms more, the same rule kills the job again.
  const runTime = Math.round(table.progressOf(job)) + (killCode === 'estimate' ? 1 : 0)
  return Number.isNaN(runTime) ? -1 : runTime
}

/** Returns the status of a job in the Standard Workload Format: 0 failed or killed, 1 completed, 5 cancelled, else -1. */
function statusOf(table: RunTable, job: number): number {
  const [state, killCode] = [table.stateOf(job), table.killCodeOf(job)]
  if (state === 'finished') return 1
  if (state === 'cancelled' || killCode === 'cancel') return 5
  return state === 'failed' || killCode !== undefined ? 0 : -1
}

function traceOf(table: RunTable, header: Header, file: string): SwfTrace {
  const columns = Object.fromEntries(
    swfFields.map((field) => [field, new Float64Array(table.length).fill(-1)]),
  ) as unknown as SwfTrace['columns']
  const exact = header.origin === 'simulated' && header.options.estimates === 'exact'
  const submits = Array.from({ length: table.length }, (_, job) => table.submitOf(job))
  const [users, groups, queues] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  for (const [row, submit] of submits.entries()) {
    const [at, start, runTime] = [table.of.submit[row], table.of.start[row], runTimeOf(table, row)]
    const walltime = submit.walltime ?? (header.options.estimates === 'requested' ? submit.estimate : undefined)
    columns.job[row] = /^\d{1,12}$/.test(submit.job) ? Number(submit.job) : -1
    columns.submit[row] = at / 1000
    columns.wait[row] = start >= at ? (start - at) / 1000 : -1
    columns.runTime[row] = exact && submit.estimate !== undefined ? submit.estimate : runTime < 0 ? -1 : runTime / 1000
    columns.allocatedProcs[row] = Number.isNaN(start) ? -1 : submit.size
    columns.requestedProcs[row] = submit.size
    columns.requestedTime[row] = walltime ?? -1
    columns.status[row] = statusOf(table, row)
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
    jobs: table.length,
    lines: Int32Array.from(submits, ({ seq }) => seq + 1),
    columns,
    onParts: Uint8Array.from(submits, (submit) => (submit.smaller_than_node === true ? 1 : 0)),
    labels: submits.map(labelsOf),
    ...(submits.some(({ gpus }) => gpus !== undefined) && { gpus: Float64Array.from(submits, ({ gpus = 0 }) => gpus) }),
    ids: submits.map(({ job }) => job),
  }
}

/** Returns a number for a label: the label itself if numeric, else 1, 2, … by first appearance; -1 for undefined. */
function numberOf(name: string | undefined, numbers: Map<string, number>): number {
  if (name === undefined) return -1
  if (/^\d{1,12}$/.test(name)) return Number(name)
  if (!numbers.has(name)) numbers.set(name, numbers.size + 1)
  return numbers.get(name)!
}
