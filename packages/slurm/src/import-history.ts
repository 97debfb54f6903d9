import { type HashFunction, type LogHeader, LogWriter, SEAL_EVERY } from '@cloister/eventlog'
import { nodeName, type Topology } from '@cloister/topology'
import { sacctCommand, type SmallerThanNode, TraceError } from '@cloister/trace-io'
import { type Job, jobListSha256 } from '@cloister/workload'
import type { History, NodeRun } from './history.ts'
import { observedHeader } from './observed-log.ts'
import type { HistoryOfRows } from './history-of-rows.ts'
import type { NodeEvents } from './nodes.ts'
import { type Conflict, type RunsApart, type Sharing, withoutSharing } from './node-sharing.ts'
import { writeHistory, type WrittenHistory } from './write-history.ts'

/** Options of `importHistory`. */
export interface ImportOptions {
  readonly topology: Topology
  readonly file: string
  /** Name of the workload in the header of the log. */
  readonly name: string
  /** SHA-256 of the accounting's file, in hexadecimal. */
  readonly sourceSha256?: string
  /** Outages of nodes. Default: every node is up all the time. */
  readonly events?: NodeEvents
  /** Treatment of runs that were on one node at the same time. Default: `refuse`. */
  readonly sharing?: Sharing
  /** Name and version of the program that writes the log, such as `cloister@1.0.0`. */
  readonly program: string
}

/** Numbers of imported and omitted jobs, runs and events. */
export interface ImportReport extends WrittenHistory {
  readonly rows: number
  readonly jobs: number
  /** Number of omitted runs for each reason, such as `runs without NodeList`. */
  readonly leftOut: Readonly<Record<string, number>>
  /** First NodeList with a name that the topology lacks; undefined if the topology has all names. */
  readonly unknownNode: string | undefined
  /**
   * `runs`: number of runs that shared a node with another run. `left`: number of runs in the log that remain of these
   * runs after merging or skipping. `first`: text about the first two runs on one node; undefined if no runs shared a
   * node.
   */
  readonly shared: { readonly runs: number; readonly left: number; readonly first: string | undefined }
  /** Number of events in Slurm's node events about nodes that the topology lacks. */
  readonly unknownEvents: number
  /**
   * Numbers about jobs that use only a part of the processors of their nodes. In the log these jobs hold whole nodes.
   */
  readonly smallerThanNode: SmallerThanNode
}

/**
 * Writes the history of a cluster as an event log of origin `observed`: arrivals, starts on the recorded nodes, ends,
 * kills, requeues, and nodes that go down and come up. The header of the log claims nothing about the placement of the
 * jobs. Equal arguments give equal bytes.
 *
 * @param read result of `historyOfRows` or of `HistoryReader.history`
 * @param sink function that receives the bytes of the log
 * @throws TraceError if no run can be imported; if runs shared nodes and `sharing` is `refuse`; or if `sharing` is
 *   `merge` and the runs cannot be merged
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
  if (described !== undefined && sharing === 'refuse')
    throw new TraceError({
      file,
      found: described,
      expected:
        'one job on a node at a time; --shared merge joins runs on exactly the same nodes into one job, --shared skip leaves out the later runs',
    })
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

/** Yields the jobs of a history as input of a simulation, for the checksum of the workload in the log's header. */
function* jobList({ jobs, runs }: History, epoch: number): Generator<Job, void> {
  const runTimes = new Float64Array(jobs.length)
  for (let run = 0; run < runs.length; run++) {
    const end = runs.end.at(run)
    runTimes[runs.job.at(run)] = end === Infinity ? 0 : end - runs.start.at(run)
  }
  const order = Uint32Array.from({ length: jobs.length }, (_, job) => job)
  for (const at of order.sort((a, b) => jobs.arrival.at(a) - jobs.arrival.at(b) || a - b)) {
    const { id, arrival, size, limit } = jobs.at(at)
    yield { id, submit: arrival - epoch, size, runTime: runTimes[at], walltime: limit }
  }
}

/** Returns the first arrival in Unix milliseconds, rounded down to a whole second: t = 0 of the log. */
function firstTime({ jobs }: History): number {
  let first = Infinity
  for (let job = 0; job < jobs.length; job++) first = Math.min(first, jobs.arrival.at(job))
  return Math.floor(first / 1000) * 1000
}

function describe({ node, first, second }: Conflict, { jobs }: History, topology: Topology): string {
  const name = ({ job }: NodeRun): string => jobs.idOf(job)
  return `jobs ${name(first)} and ${name(second)} both on ${nodeName(topology, node)} at Unix time ${second.start / 1000}`
}

function cannotMerge(file: string, { first, second, runs }: RunsApart, { jobs }: History): TraceError {
  const times = ({ start, end }: NodeRun): string => `${start / 1000} to ${end === Infinity ? 'now' : end / 1000}`
  const nodesOf = ({ nodes: { length } }: NodeRun): string => (length === 1 ? '1 node' : `${length} nodes`)
  const text = (run: NodeRun): string => `${jobs.idOf(run.job)} (${nodesOf(run)}, Unix time ${times(run)})`
  return new TraceError({
    file,
    found: `a group of ${runs} runs, each of which shares nodes with another run of the group, among them jobs ${text(first)} and ${text(second)}`,
    expected:
      'for --shared merge, runs with the same nodes, every two of which overlap in time; --shared skip leaves out the later runs',
  })
}

function nothingToTake(file: string, { rows, unknownNode }: HistoryOfRows, topology: Topology): TraceError {
  if (unknownNode !== undefined)
    return new TraceError({
      file,
      field: 'NodeList',
      found: `no job on nodes of the machine, but nodes such as ${unknownNode}`,
      expected: `names of nodes of the topology, such as ${nodeName(topology, 0)}`,
    })
  return new TraceError({
    file,
    found: `no run with a list of nodes in ${rows} rows`,
    expected: `the fields NodeList, Start and End, as in the output of ${sacctCommand}`,
  })
}
