import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { runAll, type Scheme } from '../experiment/outcomes.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { ours } from './schemes.ts'
import { onWorkloads, steady, withInterval } from './workloads.ts'

const traces: ReadonlyArray<string> = ['Synth-16', 'Thunder', 'Atlas']

const variants: ReadonlyArray<{ readonly name: string; readonly without: ReadonlyArray<string> }> = [
  { name: 'all of it', without: [] },
  { name: 'no scattered fill', without: ['scattered-fill'] },
  { name: 'no nested sets', without: ['nested-sets'] },
  { name: 'no lifetimes', without: ['lifetimes'] },
  { name: "Jigsaw's shapes, by lifetimes", without: ['nested-sets', 'scattered-fill'] },
  { name: 'none of the three', without: ['lifetimes', 'nested-sets', 'scattered-fill'] },
]

export const ablation: Experiment = Effect.gen(function* () {
  const { queue, ...discipline } = ours
  const schemes = variants.map(({ name, without }): Scheme => {
    const policy = without.length === 0 ? 'mosaic' : { name: 'mosaic', config: { without } }
    return { name, spec: { policy, ...discipline } }
  })
  const located = yield* locateAll(paper.traces.filter(({ name }) => traces.includes(name)))
  const outcomes = yield* runAll(located.flatMap((trace) => onWorkloads({ ...trace, queue }, schemes)))
  const table = {
    title: 'Mosaic without some of its parts: mean of the workloads of each trace, and its interval of 95 %',
    heading: ['utilization, steady state', ...located.map(({ name }) => name)],
    rows: schemes.map(({ name }) => [
      name,
      ...located.map((trace) => withInterval(steady(outcomes, trace.name, name))),
    ]),
  }
  return { tables: [table], comparisons: [], charts: [] }
})
