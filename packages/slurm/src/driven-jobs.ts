import { type AccountingRow, type JobLabels, TraceError } from '@cloister/trace-io'
import { endOfState, openStates, type RunEnd } from './history.ts'
import type { NodeIds } from './node-ids.ts'
import { recordsIn } from './separated.ts'
import { squeueArguments, squeueFields, squeueReader, squeueValues } from './squeue.ts'

/** Fields of `squeue` for the placement of jobs, in addition to the fields of `parseSqueue`. */
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

/** A job in Slurm's present state, for a program that places Slurm's jobs. Times are Unix milliseconds. */
export interface SlurmJob {
  /** Slurm's id of the job: `12`, `12_3` of an array, or `12+1` of a job with several components. */
  readonly id: string
  readonly partition: string
  readonly phase: 'pending' | 'running' | 'over'
  /** True if Slurm starts the job only after a release of its hold. */
  readonly isHeld: boolean
  /** True if at most a hold keeps the job: no dependency, no begin time in the future, no hold after a failure. */
  readonly isReady: boolean
  /** `AdminComment` of the job. */
  readonly mark: string
  /** Names of requests in addition to a number of nodes, such as `features`. */
  readonly demands: ReadonlyArray<string>
  /** Number of nodes. */
  readonly size: number
  /** Walltime, in ms; undefined for no limit. */
  readonly limit: number | undefined
  readonly labels: JobLabels
  /** Nodes of `ReqNodeList`, ascending; undefined without a list, or if the machine lacks a node. */
  readonly required: Int32Array | undefined
  /** True if the job has a `ReqNodeList`. */
  readonly isRequiring: boolean
  /** Nodes of the latest run, ascending; empty for a pending job, without a run, or if the machine lacks a node. */
  readonly nodes: Int32Array
  readonly start: number | undefined
  readonly end: number | undefined
  /** Kind of end, if the job is over. */
  readonly how: RunEnd
  readonly restarts: number
}

/** A job with a value of `squeue` that cannot be read. */
export interface UnreadJob {
  /** Slurm's id of the job, like the id of a `SlurmJob`; undefined if the id itself cannot be read. */
  readonly id: string | undefined
  readonly partition: string
  readonly isHeld: boolean
  readonly mark: string
  /** Message about the wrong value, in one line. */
  readonly reason: string
}

/** All jobs in the output of `squeue`. */
export interface DrivenJobs {
  readonly jobs: ReadonlyArray<SlurmJob>
  readonly unread: ReadonlyArray<UnreadJob>
}

/** Returns arguments of `squeue` for `parseDrivenJobs`. @param separator separator like that of `squeueArguments` */
export function drivenJobsArguments(separator: string): ReadonlyArray<string> {
  return squeueArguments(separator, moreFields)
}

const nothing = new Int32Array(0)
/** Reasons of holds by users and administrators. All further reasons follow a failure. */
const plainHolds: ReadonlySet<string> = new Set(['JobHeldUser', 'JobHeldAdmin'])

/**
 * Parses the output of `squeue` for `drivenJobsArguments`. A job with a wrong value is unread, and does not hide later
 * jobs.
 *
 * @param separator separator in the arguments of `squeue`
 * @param at present time, in Unix seconds
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

/** Returns a job from its row of the accounting, for a job that Slurm's controller has forgotten. */
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
