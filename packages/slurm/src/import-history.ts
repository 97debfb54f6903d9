import { type HashFunction, type LogHeader, LogWriter, SEAL_EVERY } from '@cloister/eventlog'
import { nodeName, type Topology } from '@cloister/topology'
import { sacctCommand, type SmallerThanNode, TraceError } from '@cloister/trace-io'
import { type Job, jobListSha256 } from '@cloister/workload'
import type { History, NodeRun } from './history.ts'
import { observedHeader } from './observed-header.ts'
import type { HistoryOfRows } from './history-of-rows.ts'
import type { NodeEvents } from './node-events.ts'
import { type Conflict, type RunsApart, type Sharing, withoutSharing } from './node-sharing.ts'
import { writeHistory, type WrittenHistory } from './write-history.ts'

/** How the history of a machine becomes a log. */
export interface ImportOptions {
  readonly topology: Topology
  /** The file of the accounting, for messages, and the name of its workload. */
  readonly file: string
  readonly name: string
  /** SHA-256 of that file, in hexadecimal. */
  readonly sourceSha256?: string
  /** Of nodes; without them every node is up all the time. */
  readonly events?: NodeEvents
  /** What becomes of runs that were on a node at the same time. Default: `refuse`. */
  readonly sharing?: Sharing
  /** Name and version of the program that writes the log. */
  readonly program: string
}

/** What an import took, and what it did not. */
export interface ImportReport extends WrittenHistory {
  readonly rows: number
  readonly jobs: number
  /** How many runs are left out, by why. */
  readonly leftOut: Readonly<Record<string, number>>
  /** A node of the accounting that the machine does not have. */
  readonly unknownNode: string | undefined
  /** Runs that shared nodes with others, and how many are left of them. */
  readonly shared: { readonly runs: number; readonly left: number; readonly first: string | undefined }
  /** Events of nodes that the machine does not have. */
  readonly unknownEvents: number
  /** Jobs that take only a part of their nodes, and hold them whole in the log. */
  readonly smallerThanNode: SmallerThanNode
}

/**
 * Writes what a cluster did as an event log of origin `observed`: arrivals, starts on the recorded nodes, ends, kills, requeues, and
 * nodes that went down and came up. Nothing is claimed of who placed the jobs. The same input gives the same bytes.
 *
 * @param read of `historyOfRows`; the rows themselves are needed no more
 * @param sink gets the bytes of the log, as they come
 * @throws TraceError if no run can be taken, or if runs shared nodes and `sharing` refuses them or cannot merge them
 */
export function importHistory(
  read: HistoryOfRows,
  options: ImportOptions,
  sink: (chunk: Uint8Array) => void,
  hash: HashFunction,
): ImportReport {
  const { topology, events = { outages: [], unknown: 0 }, sharing = 'refuse', file } = options
  if (read.runs.length === 0) throw nothingToTake(file, read, topology)
  const { shared, left, conflict, apart, ...history } = withoutSharing(read, sharing, topology.nodes)
  const described = conflict === undefined ? undefined : describe(conflict, read, topology)
  if (described !== undefined && sharing === 'refuse') throw sharedNodes(file, described)
  if (apart !== undefined) throw cannotMerge(file, apart, read)
  const epoch = firstTime(history)
  const writer = new LogWriter(headerOf(history, epoch, options, { sharing, shared, left }), topology, sink, hash)
  const written = writeHistory(history, events.outages, epoch, writer)
  return {
    ...written,
    rows: read.rows,
    jobs: history.jobs.length,
    leftOut: read.leftOut,
    unknownNode: read.unknownNode,
    shared: { runs: shared, left, first: described },
    unknownEvents: events.unknown,
    smallerThanNode: read.smallerThanNode,
  }
}

function headerOf(
  history: History,
  epoch: number,
  { name, sourceSha256, program }: ImportOptions,
  nodes: { readonly sharing: Sharing; readonly shared: number; readonly left: number },
): LogHeader {
  const workload = {
    name,
    ...(sourceSha256 === undefined ? {} : { source_sha256: sourceSha256 }),
    filter: '',
    jobs: history.jobs.length,
    sha256: jobListSha256(jobList(history, epoch)),
  }
  return {
    ...observedHeader(workload, epoch / 1000, SEAL_EVERY, program),
    ...(nodes.shared === 0 ? {} : { x: { shared_nodes: { ...nodes } } }),
  }
}

/** What a simulation of these jobs would be given. */
function* jobList({ jobs, runs }: History, epoch: number): Generator<Job, void> {
  const runTimes = new Float64Array(jobs.length)
  for (let run = 0; run < runs.length; run++) {
    const end = runs.endOf(run)
    runTimes[runs.jobOf(run)] = end === Infinity ? 0 : end - runs.startOf(run)
  }
  const order = Uint32Array.from({ length: jobs.length }, (_, job) => job)
  for (const at of order.sort((a, b) => jobs.arrivalOf(a) - jobs.arrivalOf(b) || a - b)) {
    const { id, arrival, size, limit } = jobs.at(at)
    yield { id, submit: arrival - epoch, size, runTime: runTimes[at], walltime: limit }
  }
}

/** Whole seconds, in milliseconds: no job arrives before. */
function firstTime({ jobs }: History): number {
  let first = Infinity
  for (let job = 0; job < jobs.length; job++) first = Math.min(first, jobs.arrivalOf(job))
  return Math.floor(first / 1000) * 1000
}

function describe({ node, first, second }: Conflict, { jobs }: History, topology: Topology): string {
  const name = ({ job }: NodeRun): string => jobs.idOf(job)
  return `jobs ${name(first)} and ${name(second)} both on ${nodeName(topology, node)} at Unix time ${second.start / 1000}`
}

function sharedNodes(file: string, found: string): TraceError {
  return new TraceError({
    file,
    found,
    expected:
      'one job on a node at a time; merge makes one job of those that share nodes, skip leaves out the later ones',
  })
}

function cannotMerge(file: string, { first, second, runs }: RunsApart, { jobs }: History): TraceError {
  const times = ({ start, end }: NodeRun): string => `${start / 1000} to ${end === Infinity ? 'now' : end / 1000}`
  const nodesOf = ({ nodes: { length } }: NodeRun): string => (length === 1 ? '1 node' : `${length} nodes`)
  const text = (run: NodeRun): string => `${jobs.idOf(run.job)} (${nodesOf(run)}, Unix time ${times(run)})`
  return new TraceError({
    file,
    found: `${runs} runs that share nodes one with the next, among them jobs ${text(first)} and ${text(second)}`,
    expected:
      'runs of which every two overlap in time and have the same nodes, for merge; skip leaves out the later ones',
  })
}

function nothingToTake(file: string, { rows, unknownNode }: HistoryOfRows, topology: Topology): TraceError {
  if (unknownNode !== undefined)
    return new TraceError({
      file,
      field: 'NodeList',
      found: `no job on nodes of the machine, but such as ${unknownNode}`,
      expected: `names such as ${nodeName(topology, 0)}, which the topology has`,
    })
  return new TraceError({
    file,
    found: `no run with its nodes in ${rows} rows`,
    expected: `NodeList, Start and End, as from ${sacctCommand}`,
  })
}
