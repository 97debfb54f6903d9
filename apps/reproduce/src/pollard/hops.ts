import { averagePairwiseHops } from '@cloister/communication'
import { headerTopology, resourcesOf } from '@cloister/eventlog'
import type { GivenSpec } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { plan, type Scheme } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, Records } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { count, most, quantile } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'
import * as paper from './paper.ts'

/** Bins of job sizes, each from its least to its largest number of nodes. */
type Bins = ReadonlyArray<readonly [number, number]>

/** Returns bins that end at 1, 4, a leaf, 64, 127 and a pod of the machine; in the Pollard paper, of Cab. */
function binsOf({ nodes, leaves, pods }: Topology): Bins {
  const [leaf, pod] = [nodes / leaves, nodes / pods].map(Math.floor)
  const ends = [1, 4, leaf, 64, paper.hops.small - 1, pod, Infinity].sort((a, b) => a - b)
  return ends.flatMap((end, at) => (at === 0 || end === ends[at - 1] ? [] : [[ends[at - 1] + 1, end] as const]))
}

/** Average pairwise hops of the jobs in each bin of job sizes, in ascending order. */
type Hops = ReadonlyArray<ReadonlyArray<number>>

/** Hops of jobs under a scheme. `ideal`: the hops of the same jobs, each on the machine's first nodes. */
interface Measured {
  readonly bins: Bins
  readonly hops: Hops
  readonly ideal: Hops
}

export const fig7: Experiment<Records> = Effect.gen(function* () {
  const located = (yield* locateAll([...paper.workloads, ...paper.standIns])).filter(({ name, overloaded }) =>
    overloaded === undefined ? !name.endsWith('-2x') : name.startsWith('Aug-2x'),
  )
  const measured = yield* Effect.forEach(
    located,
    Effect.fnUntraced(function* (trace) {
      const hops = (scheme: Scheme) => hopsOf(plan(trace, paper.queue, scheme).spec)
      return { ...trace, to: yield* hops(paper.oblivious), ta: yield* hops(paper.aware) }
    }),
  )
  return reportOf(
    measured.flatMap(({ name, to, ta }) => [
      tableOf(`${name}, TO`, to.bins, to.hops),
      tableOf(`${name}, TA`, ta.bins, ta.hops),
      tableOf(`${name}, ideal`, ta.bins, ta.ideal),
    ]),
    measured.flatMap(({ name, topology, to, ta }) => claims(name, topology === 'cab' || topology === 'pinot', to, ta)),
  )
})

const hopsOf = Effect.fnUntraced(function* (spec: GivenSpec) {
  const { watch } = yield* Records
  let bins: Bins = []
  const hops: Array<Array<number>> = []
  const ideal: Array<Array<number>> = []
  const leastOf = new Map<number, number>()
  let topology: Topology | undefined
  yield* watch(spec, (record) => {
    if (record.type === 'header') {
      topology = headerTopology(record)
      bins = binsOf(topology)
      for (const each of [hops, ideal]) each.push(...bins.map(() => []))
    }
    if (record.type !== 'allocate') return
    const { nodes } = resourcesOf(record)
    const bin = bins.findIndex(([from, to]) => nodes.length >= from && nodes.length <= to)
    if (bin < 0) return
    const least = leastOf.get(nodes.length) ?? averagePairwiseHops(topology!, Array.from(nodes.keys()))
    leastOf.set(nodes.length, least)
    hops[bin].push(averagePairwiseHops(topology!, nodes))
    ideal[bin].push(least)
  })
  const ascending = (each: Hops): Hops => each.map((values) => values.toSorted((a, b) => a - b))
  return { bins, hops: ascending(hops), ideal: ascending(ideal) } satisfies Measured
})

function tableOf(title: string, bins: Bins, hops: Hops): Table {
  const rows = bins.flatMap(([from, to], bin) => {
    const values = hops[bin]
    if (values.length === 0) return []
    return [
      [
        to === Infinity ? `${from}+` : `${from}-${to}`,
        count(values.length),
        ...[0, 0.25, 0.5, 0.75, 1].map((share) => quantile(values, share).toFixed(2)),
      ],
    ]
  })
  return {
    title: `${title}: average pairwise hops`,
    heading: ['nodes', 'jobs', 'least', 'first quartile', 'median', 'third quartile', 'most'],
    rows,
  }
}

/** Share by which hops may exceed the least possible hops and count as close; the Pollard paper states no share. */
const CLOSE = 0.1

/** Tests the claims of section V-A. The Pollard paper's bound on hops applies only to its machines, Cab and Pinot. */
function claims(name: string, isPapers: boolean, to: Measured, ta: Measured): ReadonlyArray<Comparison> {
  const { bins } = ta
  const filled = bins.flatMap((_, bin) => (to.hops[bin].length >= 100 && ta.hops[bin].length >= 100 ? [bin] : []))
  const small = bins.flatMap(([, largest], bin) => (largest < paper.hops.small ? ta.hops[bin] : []))
  const pod = bins.findIndex(([, largest]) => largest === Infinity) - 1
  const inPod = filled.filter((bin) => bin <= pod)
  const median = ({ hops }: Measured, bin: number): number => quantile(hops[bin], 0.5)
  return [
    state(
      'V-A',
      `the median under TA is no higher than under TO for any size: ${name}`,
      filled.length === 0 ? undefined : filled.every((bin) => median(ta, bin) <= median(to, bin)),
    ),
    state(
      'V-A',
      `under TO the median is above the least possible for sizes above 4 nodes that fit a pod: ${name}`,
      inPod.length === 0
        ? undefined
        : inPod.every((bin) => bins[bin][1] <= 4 || median(to, bin) > quantile(ta.ideal[bin], 0.5)),
    ),
    state(
      'V-A',
      `most hops under TA are close to the least possible in the bin that ends with a pod: ${name}`,
      inPod.includes(pod) ? most(ta.hops[pod]) <= (1 + CLOSE) * most(ta.ideal[pod]) : undefined,
    ),
    ...(isPapers
      ? [
          compare(
            'V-A',
            `most hops under TA of jobs below ${paper.hops.small} nodes: ${name}`,
            'ratio',
            { low: 0, high: paper.hops.most },
            small.length === 0 ? undefined : most(small),
          ),
        ]
      : []),
  ]
}
