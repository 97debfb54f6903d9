import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { runAll } from '../experiment/outcomes.ts'
import { locateAll, type PaperTrace } from '../experiment/traces.ts'
import { ours, plain, schemesUnder } from './schemes.ts'
import { onWorkloads, steady, withInterval } from './workloads.ts'

/** Logs that guided no choice in the design of Mosaic, each on a machine large enough for every job of the log. */
const logs: ReadonlyArray<PaperTrace> = [
  { name: 'KTH', source: { trace: 'kth' }, arrivals: 'zero', topology: 'radix:8' },
  { name: 'HPC2N', source: { trace: 'hpc2n' }, arrivals: 'zero', topology: 'radix:10' },
  { name: 'SDSC-BLUE', source: { trace: 'sdsc-blue' }, arrivals: 'zero', topology: 'radix:10' },
  { name: 'CEA-Curie', source: { trace: 'cea-curie' }, arrivals: 'zero', topology: 'radix:28' },
]
const policies = ['Baseline', 'Jigsaw', 'Mosaic']

export const otherLogs: Experiment = Effect.gen(function* () {
  const schemes = [
    ...schemesUnder(plain, ', plain EASY', ['Baseline', 'Jigsaw']),
    ...schemesUnder(ours, ', ours', policies),
  ]
  const located = yield* locateAll(logs)
  const outcomes = yield* runAll(located.flatMap((trace) => onWorkloads({ ...trace, queue: ours.queue }, schemes)))
  const table = {
    title: 'All jobs at once: mean of the workloads of each log, and its interval of 95 %',
    heading: ['utilization, steady state', ...schemes.map(({ name }) => name)],
    rows: located.map((trace) => [
      trace.name,
      ...schemes.map(({ name }) => withInterval(steady(outcomes, trace.name, name))),
    ]),
  }
  return { tables: [table], comparisons: [], charts: [] }
})
