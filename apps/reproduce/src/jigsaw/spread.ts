import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, plan, type Planned, runAll } from '../experiment/outcomes.ts'
import { locateAll } from '../experiment/traces.ts'
import { percent } from '../report/quantities.ts'
import type { Table } from '../report/report.ts'
import { least, mean, most } from '../report/statistics.ts'
import * as paper from './paper.ts'

const seeds = [1, 2, 3, 4, 5]
const synthetic = seeds.map((seed) => ({
  name: `Synth-16, seed ${seed}`,
  source: { trace: `synth:16:10000:${seed}` },
  arrivals: 'zero',
  topology: 'radix:16',
  queue: paper.queue,
}))
/** Scenarios that draw the speed-up of each job; the scenario V1 is from the Pollard paper. */
const drawn = ['V1', 'V2', 'Random'].map((name) => ({ name, scenario: name.toLowerCase() }))
const [jigsaw] = paper.schemes.filter(({ name }) => name === 'Jigsaw')
const [baseline, sharing] = paper.schemes

/** Experiment on seeds: how much results vary with the draw of the jobs, of bandwidths, or of speed-ups. */
export const spread: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(synthetic)
  const [first] = located
  const ofSeed = (planned: Planned, seed: number): Planned => ({
    ...planned,
    trace: `${planned.trace}, draw ${seed}`,
    spec: { ...planned.spec, seed },
  })
  const outcomes = yield* runAll([
    ...located.flatMap((trace) => paper.schemes.map((scheme) => plan(trace, scheme))),
    ...(first === undefined
      ? []
      : seeds.flatMap((seed) => [
          ofSeed(plan(first, sharing), seed),
          ...drawn.map((scenario) => ofSeed(plan(first, jigsaw, scenario), seed)),
        ])),
  ])
  return {
    tables: first === undefined ? [] : [ofJobs(outcomes), ofDraws(outcomes, first.name)],
    comparisons: [],
    charts: [],
  }
})

function ofJobs(outcomes: Outcomes): Table {
  const found = (scheme: string): ReadonlyArray<number> =>
    synthetic.flatMap(({ name }) => outcomes.get(name, scheme)?.metrics.utilization.steady ?? [])
  return {
    title: `Utilization of Synth-16, whose jobs ${seeds.length} seeds draw`,
    heading: ['scheme', 'mean', 'least', 'most'],
    rows: paper.schemes.map(({ name }) => [name, ...three(found(name), (share) => percent(share, 2))]),
  }
}

function ofDraws(outcomes: Outcomes, trace: string): Table {
  const base = outcomes.get(trace, baseline.name)?.metrics.makespan ?? undefined
  const makespans = (scenario: string): ReadonlyArray<number> =>
    seeds.flatMap((seed) => {
      const own = outcomes.get(`${trace}, draw ${seed}`, jigsaw.name, scenario)?.metrics.makespan
      return base === undefined || own === undefined || own === null ? [] : [own / base]
    })
  const utilizations = seeds.flatMap(
    (seed) => outcomes.get(`${trace}, draw ${seed}`, sharing.name)?.metrics.utilization.steady ?? [],
  )
  return {
    title: `${trace}: ${seeds.length} draws of bandwidths, and of speed-ups`,
    heading: ['figure', 'mean', 'least', 'most'],
    rows: [
      ['utilization under LC+S', ...three(utilizations, (share) => percent(share, 2))],
      ...drawn.map(({ name }) => [
        `makespan of Jigsaw over Baseline, ${name}`,
        ...three(makespans(name), (ratio) => ratio.toFixed(3)),
      ]),
    ],
  }
}

function three(values: ReadonlyArray<number>, show: (value: number) => string): ReadonlyArray<string> {
  return values.length === 0 ? ['-', '-', '-'] : [mean(values), least(values), most(values)].map(show)
}
