import { Effect } from 'effect'
import { named, runOn, type Scheme } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import * as paper from '../jigsaw/paper.ts'
import { differenceWithInterval, dropped, onEachWorkload, plannedOnWorkloads, withInterval } from '../ours/workloads.ts'
import { crossTable, reportOf } from '../report/report.ts'

const config = { anyRemainderPod: true }
/** Least-constrained placement under the conditions of the Jigsaw paper, and under the exact condition. */
const pairs: ReadonlyArray<readonly [conditions: Scheme, exact: Scheme]> = [
  [paper.leastConstrained, { name: 'LC exact', spec: { policy: { name: 'least-constrained', config } } }],
  [
    named(paper.schemes, 'LC+S')[0],
    {
      name: 'LC+S exact',
      spec: {
        policy: { name: 'least-constrained', config: { ...config, sharing: { capacity: 4000 } } },
        bandwidth: 'classes',
      },
    },
  ],
]
const schemes = pairs.flat()

/** Experiment on the gain of the exact condition for the policy that searches all placements. */
export const gain: Experiment = Effect.gen(function* () {
  const found = yield* runOn(named(paper.traces, 'Synth-16', 'Synth-22', 'Atlas'), (trace) =>
    plannedOnWorkloads(trace, paper.queue, schemes),
  )
  const values = (trace: string, { name }: Scheme): ReadonlyArray<number> => onEachWorkload(found.outcomes, trace, name)
  return reportOf([
    crossTable(
      `Mean of ${dropped.length} workloads, and its interval of 95 %`,
      'utilization, steady state',
      found.names,
      schemes.map(({ name }) => name),
      (trace, scheme) =>
        withInterval(
          values(
            trace,
            schemes.find(({ name }) => name === scheme)!,
          ),
        ),
    ),
    {
      title: 'Points that the exact condition gains on the same workload: mean, and its interval of 95 %',
      heading: ['utilization, steady state', 'without sharing', 'with sharing'],
      rows: found.names.map((trace) => [
        trace,
        ...pairs.map(([conditions, exact]) => differenceWithInterval(values(trace, exact), values(trace, conditions))),
      ]),
    },
  ])
})
