import { averagePairwiseHops } from '@cloister/communication'
import { headerTopology, resourcesOf } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { plan } from '../experiment/outcomes.ts'
import type { GivenSpec } from '@cloister/run'
import { Runs } from '../experiment/runs.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { count } from '../report/quantities.ts'
import type { Report } from '../report/report.ts'
import { most, quantile } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { locateWorkloads } from './runs.ts'

/** Jobs by the nodes that they request: from, to. */
const bins: ReadonlyArray<readonly [number, number]> = [
  [2, 4],
  [5, 18],
  [19, 64],
  [65, 127],
  [128, paper.hops.pod],
  [paper.hops.pod + 1, Infinity],
]

/** Average pairwise hops of the jobs of each bin, ascending. */
type Hops = ReadonlyArray<ReadonlyArray<number>>

export const fig7: Experiment = Effect.gen(function* () {
  const located = (yield* locateWorkloads).filter(({ name, overloaded }) =>
    overloaded === undefined ? !name.endsWith('-2x') : name.startsWith('Aug-2x'),
  )
  const measured: Array<{ readonly name: string; readonly topology: string; readonly to: Hops; readonly ta: Hops }> = []
  for (const trace of located) {
    const [to, ta] = yield* Effect.forEach([paper.oblivious, paper.aware], (scheme) =>
      hopsOf(plan({ ...trace, queue: paper.queue }, scheme).spec),
    )
    measured.push({ name: trace.name, topology: trace.topology, to, ta })
  }
  return {
    tables: measured.flatMap(({ name, to, ta }) => [tableOf(`${name}, TO`, to), tableOf(`${name}, TA`, ta)]),
    comparisons: measured.flatMap(({ name, topology, to, ta }) =>
      claims(name, topology === 'cab' || topology === 'pinot', to, ta),
    ),
    charts: [],
  } satisfies Report
})

const hopsOf = Effect.fnUntraced(function* (spec: GivenSpec) {
  const { watch } = yield* Runs
  const hops = bins.map((): Array<number> => [])
  let topology: Topology | undefined
  yield* watch(spec, (record) => {
    if (record.type === 'header') topology = headerTopology(record)
    if (record.type !== 'allocate') return
    const { nodes } = resourcesOf(record)
    const bin = bins.findIndex(([from, to]) => nodes.length >= from && nodes.length <= to)
    if (bin >= 0) hops[bin].push(averagePairwiseHops(topology!, nodes))
  })
  return hops.map((values) => values.sort((a, b) => a - b))
})

function tableOf(title: string, hops: Hops): Report['tables'][number] {
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

/** On Cab and Pinot leaves and pods are the paper's: there its bound can be tested. */
function claims(name: string, isPapers: boolean, to: Hops, ta: Hops): ReadonlyArray<Comparison> {
  const filled = bins.flatMap((_, bin) => (to[bin].length >= 100 && ta[bin].length >= 100 ? [bin] : []))
  const small = bins.flatMap(([, largest], bin) => (largest < paper.hops.small ? ta[bin] : []))
  return [
    state(
      'V-A',
      `the median under TA is no higher than under TO for any size: ${name}`,
      filled.length === 0 ? undefined : filled.every((bin) => quantile(ta[bin], 0.5) <= quantile(to[bin], 0.5)),
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
