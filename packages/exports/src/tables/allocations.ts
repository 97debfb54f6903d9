import type { LogRecord, LogState, RunningJob } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { stepsOf } from './steps.ts'
import { flag, optional, long, seconds, type Table, tableOf, text, whole } from './table.ts'

/** Node of an allocation. */
interface Held {
  readonly job: RunningJob
  readonly node: number
  readonly topology: Topology
  /** Time of the release in seconds; undefined if the log has no release of the allocation. */
  readonly end: number | undefined
}

/** Table with a row for each node of each allocation, in the order of the releases. */
export const allocations: Table = tableOf<Held>(
  'allocations',
  'a node of an allocation',
  [
    long('allocation', 'number of the allocate record', ({ job }) => job.allocate.seq),
    text('job', 'id of the job', ({ job }) => job.submit.job),
    whole('node', 'id of the node', ({ node }) => node),
    optional.text(
      'node_name',
      'name of the node; missing if the log has no names',
      ({ node, topology }) => topology.nodeNames?.[node],
    ),
    whole('leaf', 'leaf of the node', ({ node, topology }) => topology.leafOfNode[node]),
    whole('pod', 'pod of the node', ({ node, topology }) => topology.podOfLeaf[topology.leafOfNode[node]]),
    seconds('start_time', 'begin of the allocation', ({ job }) => job.allocate.t),
    optional.seconds(
      'end_time',
      'release of the node; missing if the job holds the node at the end of the log',
      ({ end }) => end,
    ),
    flag(
      'backfilled',
      'true if the job started ahead of a reservation',
      ({ job }) => job.allocate.backfill !== undefined,
    ),
    flag('moved', 'true if the job came from other nodes by a move', ({ job }) => job.allocate.moved !== undefined),
    optional.long(
      'bandwidth',
      'bandwidth of the job on each of its links',
      ({ job }) => job.allocate.bandwidth,
      'MB/s',
    ),
  ],
  heldNodes,
)

function* heldNodes(records: Iterable<LogRecord>): Generator<Held, void> {
  let last!: LogState
  const of = function* (job: RunningJob, end: number | undefined): Generator<Held, void> {
    for (const node of job.nodes) yield { job, node, topology: last.topology, end }
  }
  for (const { record: found, before, isBefore } of stepsOf(records, (state) => (last = state)))
    if (found.type === 'release' && !isBefore) yield* of(before.running!, found.t)
  for (const job of last.running.values()) yield* of(job, undefined)
}
