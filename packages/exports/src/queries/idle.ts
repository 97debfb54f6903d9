import { Timeline } from '@cloister/metrics'
import { resourcesOf } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { stepsOf } from '../tables/steps.ts'
import { nodeTime, optional, seconds, share, text, whole } from '../tables/table.ts'
import { largestFirst, marked, type QueriedLog, type Query, queryOf } from './contract.ts'

/** Stretch of time without a pause in a use of nodes. */
interface Stretch {
  readonly begin: number
  readonly end: number
  readonly nodeTime: number
}

interface Cause {
  readonly cause: string
  readonly meaning: string
  readonly nodeTime: number
  readonly share: number
  readonly time: number
  readonly worst: Stretch | undefined
}

/** Columns of the table `nodes` with the nodes that no job holds, and the names and meanings of the causes. */
const causes = [
  ['idle_no_job', 'no-job', 'no job waits'],
  ['idle_too_few', 'too-few-nodes', 'each waiting job requests more nodes than are idle'],
  ['idle_fragmented', 'fragmented', 'a waiting job requests no more nodes than are idle'],
  ['down', 'down', 'nodes are down, allocated or not'],
] as const

/** Node-time without work, by cause. */
export const idleByCause: Query = queryOf<Cause>(
  'idle-by-cause',
  'Why were nodes idle or down, and when was the worst time?',
  [
    text('cause', `cause: ${causes.map(([, name]) => `\`${name}\``).join(', ')}`, ({ cause }) => cause),
    text('meaning', 'the cause in words', ({ meaning }) => meaning),
    nodeTime('node_time', 'node-time by the cause', (cause) => cause.nodeTime),
    share('share', 'share of the node-time of all nodes, from 0 to 1', (cause) => cause.share),
    seconds('time', 'time with a node idle or down by the cause', ({ time }) => time),
    marked(
      'begin',
      optional.seconds(
        'worst_begin',
        'begin of the worst stretch without a pause; missing if there is none',
        ({ worst }) => worst?.begin,
      ),
    ),
    marked(
      'end',
      optional.seconds('worst_end', 'end of the worst stretch; missing if there is none', ({ worst }) => worst?.end),
    ),
    optional.number(
      'worst_node_time',
      'node-time of the worst stretch; missing if there is none',
      ({ worst }) => worst?.nodeTime,
      'node·s',
    ),
  ],
  (log) => {
    const spans = [...log.rows('nodes', ['start_time', 'end_time', ...causes.map(([column]) => column)])]
    const length = (span: (typeof spans)[number]): number => Number(span['end_time']) - Number(span['start_time'])
    const all = log.topology.nodes * spans.reduce((sum, span) => sum + length(span), 0)
    const found = causes.map(([column, cause, meaning]): Cause => {
      const stretches: Array<Stretch> = []
      let time = 0
      for (const span of spans.filter((each) => Number(each[column]) > 0)) {
        const [begin, end, used] = [
          Number(span['start_time']),
          Number(span['end_time']),
          Number(span[column]) * length(span),
        ]
        time += length(span)
        const last = stretches.at(-1)
        if (last?.end === begin)
          stretches[stretches.length - 1] = { begin: last.begin, end, nodeTime: last.nodeTime + used }
        else stretches.push({ begin, end, nodeTime: used })
      }
      const sum = stretches.reduce((total, stretch) => total + stretch.nodeTime, 0)
      const [worst] = largestFirst(stretches, (stretch) => stretch.nodeTime)
      return { cause, meaning, nodeTime: sum, share: all === 0 ? 0 : sum / all, time, worst }
    })
    return largestFirst(found, (cause) => cause.nodeTime)
  },
)

/** Times of a leaf's nodes, in node-seconds. */
interface Leaf {
  readonly leaf: number
  readonly topology: Topology
  readonly idle: number
  readonly fragmented: number
  readonly partly: number
}

/** Idle node-time on each leaf while a waiting job would need no more nodes than are idle. */
export const fragmentationByLeaf: Query = queryOf<Leaf>(
  'fragmentation-by-leaf',
  'On which leaves were nodes idle while a waiting job requested no more nodes than were idle?',
  [
    marked(
      'leaf',
      whole('leaf', 'number of the leaf', ({ leaf }) => leaf),
    ),
    marked(
      'pod',
      whole('pod', 'pod of the leaf', ({ leaf, topology }) => topology.podOfLeaf[leaf]),
    ),
    whole('nodes', 'nodes of the leaf', ({ leaf, topology }) => sizeOf(topology, leaf), 'nodes'),
    nodeTime('idle_time', 'node-time of nodes that are neither allocated nor down', ({ idle }) => idle),
    nodeTime(
      'fragmented_time',
      'idle node-time while a waiting job requests no more nodes than are idle in the machine',
      ({ fragmented }) => fragmented,
    ),
    nodeTime(
      'partly_used_time',
      'fragmented node-time while other nodes of the leaf are allocated or down',
      ({ partly }) => partly,
    ),
  ],
  (log) => largestFirst(leavesOf(log), ({ fragmented }) => fragmented),
)

function sizeOf({ firstNodeOfLeaf }: Topology, leaf: number): number {
  return firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
}

/** Change of a leaf: number of idle nodes from a time in seconds on. */
interface Change {
  readonly t: number
  readonly leaf: number
  readonly idle: number
}

function leavesOf(log: QueriedLog): ReadonlyArray<Leaf> {
  const changes: Array<Change> = []
  let timeline!: Timeline
  let topology!: Topology
  let idle!: Int32Array
  let isIdle!: Uint8Array
  for (const { record, before, state } of stepsOf(log.records(), (first) => {
    topology = first.topology
    timeline = new Timeline(first.header)
    isIdle = new Uint8Array(topology.nodes).fill(1)
    idle = Int32Array.from({ length: topology.leaves }, (_, leaf) => sizeOf(topology, leaf))
    for (const [leaf, nodes] of idle.entries()) changes.push({ t: first.header.part?.from ?? 0, leaf, idle: nodes })
  })) {
    timeline.add(record)
    const touched =
      'nodes' in record && record.type !== 'reserve'
        ? resourcesOf(record).nodes
        : record.type === 'release'
          ? before.running!.nodes
          : []
    const leaves = new Set<number>()
    for (const node of touched) {
      const now = state.freeNodes.has(node) ? 1 : 0
      const leaf = topology.leafOfNode[node]
      if (isIdle[node] !== now) leaves.add(leaf)
      idle[leaf] += now - isIdle[node]
      isIdle[node] = now
    }
    for (const leaf of leaves) changes.push({ t: record.t, leaf, idle: idle[leaf] })
  }
  return summed(topology, changes, timeline)
}

/** Sums the times of each leaf between its changes. */
function summed(topology: Topology, changes: ReadonlyArray<Change>, timeline: Timeline): ReadonlyArray<Leaf> {
  const { t, until, values } = timeline.steps(['fragmented'])
  const { leaves } = topology
  const [idle, fragmented, partly] = [new Float64Array(leaves), new Float64Array(leaves), new Float64Array(leaves)]
  const last: Array<{ readonly t: number; readonly fragmented: number; readonly idle: number }> = []
  /** Fragmented time before the instant `at`, in seconds. */
  let [at, total] = [0, 0]
  const fragmentedUntil = (time: number): number => {
    for (; at < t.length && (t[at + 1] ?? until) <= time; at++)
      if (values.fragmented[at] > 0) total += (t[at + 1] ?? until) - t[at]
    return at < t.length && time > t[at] && values.fragmented[at] > 0 ? total + time - t[at] : total
  }
  const add = ({ leaf, t: time, idle: nodes }: Change): void => {
    const now = { t: Math.max(t[0] ?? 0, Math.min(until, time)), fragmented: fragmentedUntil(time), idle: nodes }
    const before = last[leaf]
    last[leaf] = now
    if (before === undefined) return
    idle[leaf] += before.idle * (now.t - before.t)
    fragmented[leaf] += before.idle * (now.fragmented - before.fragmented)
    if (before.idle < sizeOf(topology, leaf)) partly[leaf] += before.idle * (now.fragmented - before.fragmented)
  }
  for (const change of changes) add(change)
  for (let leaf = 0; leaf < leaves; leaf++) add({ t: until, leaf, idle: 0 })
  return Array.from(idle, (time, leaf) => ({
    leaf,
    topology,
    idle: time,
    fragmented: fragmented[leaf],
    partly: partly[leaf],
  }))
}
