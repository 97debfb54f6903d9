import { Effect } from 'effect'
import { named, runOn, type Scheme } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import * as paper from '../jigsaw/paper.ts'
import { state } from '../report/comparison.ts'
import { mean } from '../report/numbers.ts'
import { barGroup, crossTable, reportOf, seriesOf, utilizationAxis } from '../report/report.ts'
import { differenceWithInterval, dropped, onEachWorkload, plannedOnWorkloads, withInterval } from './workloads.ts'

/** Least-constrained placement with shared links, which the Jigsaw paper takes as a near-optimal bound. */
const [bound] = named(paper.schemes, 'LC+S')

/** Schemes that share links like the bound: other searches, on the same links and with the same draws of bandwidth. */
const sharers: ReadonlyArray<Scheme> = [
  ['Jigsaw', 'jigsaw'],
  ['LaaS', 'laas'],
  ['Mosaic', 'mosaic'],
].map(([name, policy]) => ({
  name: `${name}+S`,
  spec: { policy: { name: policy, config: { sharing: { capacity: 4000 } } }, bandwidth: 'classes' },
}))

const schemes: ReadonlyArray<Scheme> = [
  ...named(paper.schemes, 'Baseline', 'LC+S', 'Jigsaw'),
  { name: 'Mosaic', spec: { policy: 'mosaic' } },
  ...sharers,
]
const names = schemes.map(({ name }) => name)
const beside = names.filter((name) => name !== bound.name)

const logs = named(paper.traces, 'Synth-16', 'Thunder', 'Atlas')

/** Experiment on shared links: how near other searches come to the bound LC+S, with paired intervals. */
export const sharing: Experiment = Effect.gen(function* () {
  const found = yield* runOn(logs, (trace) => plannedOnWorkloads(trace, paper.queue, schemes))
  const values = (trace: string, scheme: string): ReadonlyArray<number> => onEachWorkload(found.outcomes, trace, scheme)
  const meanOf = (trace: string, scheme: string): number | undefined => {
    const known = values(trace, scheme)
    return known.length === 0 ? undefined : mean(known)
  }
  const utilization = crossTable(
    `Mean of ${dropped.length} workloads, and its interval of 95 %`,
    'utilization, steady state',
    found.names,
    names,
    (trace, scheme) => withInterval(values(trace, scheme)),
  )
  const lead = crossTable(
    `Points above ${bound.name} on the same workload: mean, and its interval of 95 %`,
    'utilization, steady state',
    found.names,
    beside,
    (trace, scheme) => differenceWithInterval(values(trace, scheme), values(trace, bound.name)),
  )
  const statements = found.names.flatMap((trace) =>
    sharers.map(({ name }) =>
      state(
        '5.2.3',
        `no scheme with shared links is above ${bound.name}: ${name}, ${trace}`,
        isAtMost(meanOf(trace, name), meanOf(trace, bound.name)),
      ),
    ),
  )
  const groups = found.names.map((trace) => barGroup(trace, names, (scheme) => meanOf(trace, scheme)))
  return reportOf([utilization, lead], statements, [
    { file: 'sharing.svg', chart: { series: seriesOf(names), panels: [{ title: '', groups }], axis: utilizationAxis } },
  ])
})

function isAtMost(value: number | undefined, limit: number | undefined): boolean | undefined {
  return value === undefined || limit === undefined ? undefined : value <= limit
}
