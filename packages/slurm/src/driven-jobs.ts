import { type AccountingRow, type JobLabels, TraceError } from '@cloister/trace-io'
import { endOfState, openStates, type RunEnd } from './history.ts'
import type { NodeIds } from './node-ids.ts'
import { recordsIn } from './separated.ts'
import { squeueArguments, squeueFields, squeueReader, squeueValues } from './squeue.ts'

/** Fields that the placer of jobs needs beyond those of `parseSqueue`. */
const moreFields = [
  'PriorityLong',
  'Reason',
  'Dependency',
  'ReqNodes',
  'Feature',
  'Licenses',
  'Reservation',
  'tres-per-node',
  'admin_comment',
] as const

/** A job as Slurm knows it now, for whoever places its jobs. Times are Unix milliseconds. */
export interface SlurmJob {
  /** `12`, or `12_3` of an array. */
  readonly id: string
  readonly partition: string
  readonly phase: 'pending' | 'running' | 'over'
  /** Slurm starts it only after a release. */
  readonly isHeld: boolean
  /** Nothing but the hold keeps it: no dependency, no begin time, no failure that an administrator has to look at. */
  readonly isReady: boolean
  /** Its `AdminComment`. */
  readonly mark: string
  /** What it asks for besides a number of nodes, such as `features`; empty for nothing. */
  readonly demands: ReadonlyArray<string>
  /** Nodes. */
  readonly size: number
  /** Milliseconds; undefined for none. */
  readonly limit: number | undefined
  readonly labels: JobLabels
  /** Its `ReqNodeList`; undefined where it has none, or one with names that the machine does not have. */
  readonly required: Int32Array | undefined
  readonly isRequiring: boolean
  /** On which it runs, or ran; empty where it did not, or on such as the machine does not have. */
  readonly nodes: Int32Array
  readonly start: number | undefined
  readonly end: number | undefined
  /** How it ended, where it is over. */
  readonly how: RunEnd
  readonly restarts: number
}

/** A job of which `squeue` printed a value that no reader knows. */
export interface UnreadJob {
  /** As `SlurmJob` has it; undefined if the id itself cannot be read. */
  readonly id: string | undefined
  readonly partition: string
  readonly isHeld: boolean
  readonly mark: string
  /** Explains which value is wrong, in one line. */
  readonly reason: string
}

/** All jobs that `squeue` printed. */
export interface DrivenJobs {
  readonly jobs: ReadonlyArray<SlurmJob>
  readonly unread: ReadonlyArray<UnreadJob>
}

/** Returns arguments of `squeue` for `parseDrivenJobs`. @param separator as for `squeueArguments` */
export function drivenJobsArguments(separator: string): ReadonlyArray<string> {
  return squeueArguments(separator, moreFields)
}

const nothing = new Int32Array(0)
/** Reasons of a hold that was asked for; others follow a failure. */
const plainHolds: ReadonlySet<string> = new Set(['JobHeldUser', 'JobHeldAdmin'])

/**
 * Reads what `squeue` prints for `drivenJobsArguments`. A job with a wrong value is unread, and hides no other job.
 *
 * @param separator as `drivenJobsArguments` was given it
 * @param at Unix seconds
 * @throws TraceError if the text cannot be cut into records
 */
export function parseDrivenJobs(text: string, separator: string, nodeIds: NodeIds, at: number): DrivenJobs {
  const read = squeueReader('squeue')
  const jobs: Array<SlurmJob> = []
  const unread: Array<UnreadJob> = []
  for (const [index, record] of recordsIn(text, separator, squeueFields + moreFields.length, 'squeue').entries()) {
    const [values, more] = [record.slice(0, squeueFields), moreOf(record)]
    try {
      const row = read(index + 1, values)
      if (row !== undefined) jobs.push(drivenJob(row, more, nodeIds, at))
    } catch (error) {
      if (!(error instanceof TraceError)) throw error
      unread.push(unreadJob(values, more, error))
    }
  }
  return { jobs, unread }
}

type More = Readonly<Record<(typeof moreFields)[number], string>>

function moreOf(record: ReadonlyArray<string>): More {
  const entries = moreFields.map((field, at) => [field, asGiven(record[squeueFields + at])])
  return Object.fromEntries(entries) as Record<(typeof moreFields)[number], string>
}

function unreadJob(values: ReadonlyArray<string>, more: More, { message }: TraceError): UnreadJob {
  const { JobArrayID, State, Partition } = squeueValues(values)
  return {
    id: /^\d+(?:[_+]\d+)?$/.test(JobArrayID) ? JobArrayID : undefined,
    partition: Partition,
    isHeld: State === 'PENDING' && more.PriorityLong === '0',
    mark: more.admin_comment,
    reason: message,
  }
}

/** Returns a job that Slurm's controller has forgotten, from its row of the accounting. */
export function endedJob(row: AccountingRow, nodeIds: NodeIds): SlurmJob {
  return drivenJob(row, undefined, nodeIds, 0)
}

function drivenJob(row: AccountingRow, more: More | undefined, nodeIds: NodeIds, at: number): SlurmJob {
  const isPending = row.state === 'PENDING'
  const isHeld = isPending && more?.PriorityLong === '0'
  const demands = Object.entries({
    features: more?.Feature,
    licenses: more?.Licenses,
    reservation: more?.Reservation,
    resources: more?.['tres-per-node'],
  })
  const requires = more?.ReqNodes ?? ''
  const found = requires === '' ? undefined : nodeIds.find(requires)
  return {
    id: row.jobId,
    partition: row.labels.queue ?? '',
    phase: isPending ? 'pending' : openStates.has(row.state) ? 'running' : 'over',
    isHeld,
    isReady: (more?.Dependency ?? '') === '' && row.eligible <= at && (!isHeld || plainHolds.has(more.Reason)),
    mark: more?.admin_comment ?? '',
    demands: [
      ...demands.filter(([, asked]) => (asked ?? '') !== '').map(([name]) => name),
      ...(row.jobId.includes('+') ? ['several components'] : []),
    ],
    size: Math.max(1, row.nodes),
    limit: row.limit >= 0 ? row.limit * 1000 : undefined,
    labels: row.labels,
    required: found !== undefined && 'nodes' in found ? found.nodes : undefined,
    isRequiring: found !== undefined,
    nodes: isPending ? nothing : nodesIn(row.nodeList, nodeIds),
    start: !isPending && row.start >= 0 && row.nodeList !== '' ? row.start * 1000 : undefined,
    end: row.end >= 0 ? row.end * 1000 : undefined,
    how: endOfState[row.state] ?? 'finished',
    restarts: Math.max(0, row.restarts),
  }
}

function asGiven(value: string): string {
  const text = value.trim()
  return text === '(null)' || text === 'N/A' ? '' : text
}

function nodesIn(list: string, nodeIds: NodeIds): Int32Array {
  const found = list === '' ? undefined : nodeIds.find(list)
  return found !== undefined && 'nodes' in found ? found.nodes : nothing
}
