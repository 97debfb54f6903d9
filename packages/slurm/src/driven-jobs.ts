import type { AccountingRow, JobLabels } from '@cloister/trace-io'
import { endOfState, openStates, type RunEnd } from './history.ts'
import type { NodeIds } from './node-ids.ts'
import { parseSqueue, squeueArguments, squeueFields } from './squeue.ts'

/** What whoever places jobs has to know beyond what `parseSqueue` reads; the last one may hold bars. */
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

/** As `squeueArguments`, for `parseDrivenJobs`. */
export const drivenJobsArguments: ReadonlyArray<string> = squeueArguments.map((argument) =>
  argument.startsWith('--Format=') ? `${argument},${moreFields.map((field) => `${field}:|`).join()}` : argument,
)

const nothing = new Int32Array(0)
/** Reasons of a hold that was asked for; others follow a failure. */
const plainHolds: ReadonlySet<string> = new Set(['JobHeldUser', 'JobHeldAdmin'])

/**
 * Reads what `squeue` prints for `drivenJobsArguments`.
 *
 * @param at Unix seconds
 * @throws TraceError at the first line that is none
 */
export function parseDrivenJobs(text: string, nodeIds: NodeIds, at: number): ReadonlyArray<SlurmJob> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const cut = lines.map((line) => line.split('|'))
  const rows = parseSqueue(cut.map((values) => `${values.slice(0, squeueFields).join('|')}|`).join('\n'))
  return rows.map((row, line) => drivenJob(row, cut[line].slice(squeueFields), nodeIds, at))
}

/** A job as the accounting has it, which the controller has forgotten: it is over, or nobody knows. */
export function endedJob(row: AccountingRow, nodeIds: NodeIds): SlurmJob {
  return drivenJob(row, [], nodeIds, 0)
}

function drivenJob(row: AccountingRow, more: ReadonlyArray<string>, nodeIds: NodeIds, at: number): SlurmJob {
  const [priority, reason, dependency, requires, ...others] = more.map(asGiven)
  const [features, licenses, reservation, resources, ...comment] = others
  const isPending = row.state === 'PENDING'
  const isHeld = isPending && priority === '0'
  const demands = Object.entries({ features, licenses, reservation, resources })
  const found = requires === undefined || requires === '' ? undefined : nodeIds.find(requires)
  return {
    id: row.jobId,
    partition: row.labels.queue ?? '',
    phase: isPending ? 'pending' : openStates.has(row.state) ? 'running' : 'over',
    isHeld,
    isReady: (dependency ?? '') === '' && row.eligible <= at && (!isHeld || plainHolds.has(reason)),
    mark: comment.join('|').replace(/\|$/, '').trim(),
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
