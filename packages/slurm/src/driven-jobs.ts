import { type AccountingRow, type JobLabels, openStates, TraceError } from '@cloister/trace-io'
import { endOfState, type RunEnd } from './history.ts'
import type { NodeIds } from './nodes.ts'
import { recordsIn } from './commands.ts'
import { squeueArguments, squeueFields, squeueReader, squeueValues } from './squeue.ts'

/** Fields of `squeue` that `parseDrivenJobs` reads after the fields of `parseSqueue`. */
const moreFields = [
  'Reason',
  'Dependency',
  'ReqNodes',
  'Feature',
  'Licenses',
  'tres-per-node',
  'admin_comment',
] as const

/** Job of `squeue` or of the accounting, for a program that places Slurm's jobs. Times are Unix milliseconds. */
export interface SlurmJob {
  /** Slurm's id: `12` for a job, `12_3` for a task of an array, `12+1` for a component of a heterogeneous job. */
  readonly id: string
  readonly partition: string
  readonly phase: 'pending' | 'running' | 'over'
  /** True if the pending job has priority 0: Slurm starts the job only after its hold is released. */
  readonly isHeld: boolean
  /**
   * True if the job can start as soon as a hold by a user or administrator is released: the job has no dependency, no
   * begin time in the future, and no hold after a failure.
   */
  readonly isReady: boolean
  /** True if Slurm holds the job with the reason `BadConstraints`: no nodes of the partition satisfy the request. */
  readonly isRefused: boolean
  /** The field `admin_comment` of `squeue`; empty for none. */
  readonly mark: string
  /** Requirements other than nodes: `features`, `licenses`, `reservation`, `resources`, `several components`. */
  readonly demands: ReadonlyArray<string>
  /** Number of nodes of the job, at least 1. */
  readonly size: number
  /** Walltime in ms; undefined if the job has no limit. */
  readonly limit: number | undefined
  readonly labels: JobLabels
  /** Ids of the nodes in squeue's `ReqNodes`, ascending; undefined if `ReqNodes` is empty or has an unknown node. */
  readonly required: Int32Array | undefined
  readonly isRequiring: boolean
  /** Ids of the latest run's nodes, ascending; empty if the job waits or never ran, or if the topology lacks a node. */
  readonly nodes: Int32Array
  /** True if Slurm still cleans up nodes after the run; `nodes` then lacks the nodes that are free again. */
  readonly isCompleting: boolean
  readonly start: number | undefined
  readonly end: number | undefined
  /** Kind of end of the job's latest run; meaningless unless `phase` is `over`. */
  readonly how: RunEnd
  readonly restarts: number
}

/** Job in the output of `squeue` with a value that cannot be parsed. */
export interface UnreadJob {
  /** Slurm's id in the form of `SlurmJob.id`; undefined if the id cannot be parsed. */
  readonly id: string | undefined
  readonly partition: string
  readonly isHeld: boolean
  readonly mark: string
  /** Message in one line about the value that cannot be parsed. */
  readonly reason: string
}

/** Result of `parseDrivenJobs`: jobs, and jobs with a value that cannot be parsed. */
export interface DrivenJobs {
  readonly jobs: ReadonlyArray<SlurmJob>
  readonly unread: ReadonlyArray<UnreadJob>
}

/**
 * Returns the arguments of `squeue` for `parseDrivenJobs`.
 *
 * @param separator result of `separatorOf`, new for each command
 */
export function drivenJobsArguments(separator: string): ReadonlyArray<string> {
  return squeueArguments(separator, moreFields)
}

const nothing = new Int32Array(0)
/** Values of squeue's `Reason` for holds by users and administrators. Slurm sets all other holds after a failure. */
const plainHolds: ReadonlySet<string> = new Set(['JobHeldUser', 'JobHeldAdmin'])

/**
 * Parses the output of `squeue` for `drivenJobsArguments`. A job with a value that cannot be parsed goes into `unread`;
 * all other jobs are parsed.
 *
 * @param separator separator in the arguments of `squeue` that gave the text
 * @param at present time in Unix seconds: a job is ready only if its eligible time is at most `at`
 * @throws TraceError if the text cannot be cut into the values of each job
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

/** Values of `moreFields`, the priority and the reservation; an empty text for a missing value. */
type More = Readonly<Record<(typeof moreFields)[number] | 'PriorityLong' | 'Reservation', string>>

function moreOf(record: ReadonlyArray<string>): More {
  const { PriorityLong, Reservation } = squeueValues(record)
  const more = moreFields.map((field, at) => [field, asGiven(record[squeueFields + at])])
  return { ...Object.fromEntries(more), PriorityLong, Reservation: asGiven(Reservation) } as More
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

/** Returns a `SlurmJob` for a row of the accounting: an ended job that Slurm's controller no longer lists. */
export function endedJob(row: AccountingRow, nodeIds: NodeIds): SlurmJob {
  return drivenJob(row, moreOf([]), nodeIds, 0)
}

function drivenJob(row: AccountingRow, more: More, nodeIds: NodeIds, at: number): SlurmJob {
  const isPending = row.state === 'PENDING'
  const isHeld = isPending && more.PriorityLong === '0'
  const demands = Object.entries({
    features: more.Feature,
    licenses: more.Licenses,
    reservation: more.Reservation,
    resources: more['tres-per-node'],
  })
  const found = more.ReqNodes === '' ? undefined : nodeIds.find(more.ReqNodes)
  return {
    id: row.jobId,
    partition: row.labels.queue ?? '',
    phase: isPending ? 'pending' : openStates.has(row.state) ? 'running' : 'over',
    isHeld,
    isReady: more.Dependency === '' && row.eligible <= at && (!isHeld || plainHolds.has(more.Reason)),
    isRefused: isHeld && more.Reason === 'BadConstraints',
    mark: more.admin_comment,
    demands: [
      ...demands.filter(([, asked]) => asked !== '').map(([name]) => name),
      ...(row.jobId.includes('+') ? ['several components'] : []),
    ],
    size: Math.max(1, row.nodes),
    limit: row.limit >= 0 ? row.limit * 1000 : undefined,
    labels: row.labels,
    required: found !== undefined && 'nodes' in found ? found.nodes : undefined,
    isRequiring: found !== undefined,
    nodes: isPending ? nothing : nodesIn(row.nodeList, nodeIds),
    isCompleting: row.state === 'COMPLETING',
    start: !isPending && row.start >= 0 && row.nodeList !== '' ? row.start * 1000 : undefined,
    end: row.end >= 0 ? row.end * 1000 : undefined,
    how: endOfState[row.state] ?? 'finished',
    restarts: Math.max(0, row.restarts),
  }
}

function asGiven(value = ''): string {
  const text = value.trim()
  return text === '(null)' || text === 'N/A' ? '' : text
}

function nodesIn(list: string, nodeIds: NodeIds): Int32Array {
  const found = list === '' ? undefined : nodeIds.find(list)
  return found !== undefined && 'nodes' in found ? found.nodes : nothing
}
