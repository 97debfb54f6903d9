import { Effect } from 'effect'
import {
  changed,
  makespan,
  named,
  type Outcomes,
  plan,
  type Planned,
  runAll,
  runOn,
  type Scheme,
  steady,
} from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, type PaperTrace } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import {
  allKnown,
  anyKnown,
  count,
  difference,
  finePercent,
  least,
  mean,
  most,
  ofBoth,
  orDash,
  ratio,
} from '../report/numbers.ts'
import { barGroup, crossTable, type Report, reportOf, seriesOf, type Table, utilizationAxis } from '../report/report.ts'
import { withInterval } from '../ours/workloads.ts'
import * as paper from './paper.ts'

export const fig6: Experiment = Effect.gen(function* () {
  const schemes = paper.schemes.flatMap((scheme) =>
    scheme.name === 'LC+S' ? [scheme, paper.leastConstrained] : [scheme],
  )
  const { outcomes, names } = yield* utilizations(paper.traces, schemes)
  return report(outcomes, names, schemes, 'jigsaw-fig6.svg', [...stated(outcomes), ...derived(outcomes, names)])
})

/** Experiment on 1024 nodes: many job sizes are multiples of 8, a leaf, so LaaS rounds up less than on 1458 nodes. */
export const on1024Nodes: Experiment = Effect.gen(function* () {
  const large = named(paper.traces, 'Thunder', 'Atlas')
  const both = large.flatMap((trace) => [trace, { ...trace, name: `${trace.name}, 1024 nodes`, topology: 'radix:16' }])
  const { outcomes, names } = yield* utilizations(both, paper.schemes)
  const claims = large.flatMap(({ name }) => {
    const small = `${name}, 1024 nodes`
    const laas = outcomes.value(steady, small, 'LaaS')
    return [
      state(
        '5.4.3',
        `LaaS is better on 1024 nodes than on 1458: ${name}`,
        ascends(outcomes.value(steady, name, 'LaaS'), laas),
      ),
      state(
        '5.4.3',
        `Jigsaw is ahead of LaaS on 1024 nodes too: ${name}`,
        ascends(laas, outcomes.value(steady, small, 'Jigsaw')),
      ),
    ]
  })
  return report(outcomes, names, paper.schemes, 'jigsaw-1024.svg', claims)
})

function utilizations(traces: ReadonlyArray<PaperTrace>, schemes: ReadonlyArray<Scheme>) {
  return runOn(traces, (trace) => schemes.map((scheme) => plan(trace, paper.queue, scheme)))
}

function ascends(...values: ReadonlyArray<Maybe>): boolean | undefined {
  return allKnown(values)?.every((value, index, known) => index === 0 || value > known[index - 1])
}

function report(
  outcomes: Outcomes,
  traces: ReadonlyArray<string>,
  schemes: ReadonlyArray<Scheme>,
  file: string,
  comparisons: ReadonlyArray<Comparison>,
): Report {
  const names = schemes.map(({ name }) => name)
  const bounds = (trace: string, scheme: string): number => outcomes.get(trace, scheme)?.searchBounds ?? 0
  const bounded = names.filter((name) => traces.some((trace) => bounds(trace, name) > 0))
  const groups = traces.map((trace) =>
    barGroup(trace.replace(', 1024 nodes', ' 1024'), names, (name) => outcomes.value(steady, trace, name)),
  )
  return reportOf(
    [
      crossTable('Utilization', 'utilization, steady state', traces, names, (trace, scheme) =>
        orDash(outcomes.value(steady, trace, scheme), finePercent),
      ),
      ...(bounded.length === 0
        ? []
        : [
            crossTable('Searches given up at the bound of the policy', '', traces, bounded, (trace, scheme) =>
              count(bounds(trace, scheme)),
            ),
          ]),
    ],
    comparisons,
    [{ file, chart: { series: seriesOf(names), panels: [{ title: '', groups }], axis: utilizationAxis } }],
  )
}

function stated(outcomes: Outcomes): ReadonlyArray<Comparison> {
  return paper.utilization.flatMap(({ scheme, only, except, ...range }) =>
    paper.traces
      .filter(({ name }) => (only?.includes(name) ?? true) && !(except?.includes(name) ?? false))
      .map(({ name }) =>
        compare('6.1', `utilization under ${scheme}, ${name}`, 'share', range, outcomes.value(steady, name, scheme)),
      ),
  )
}

type Maybe = number | undefined

function derived(outcomes: Outcomes, names: ReadonlyArray<string>): ReadonlyArray<Comparison> {
  const under = (scheme: string): ReadonlyArray<Maybe> => names.map((trace) => outcomes.value(steady, trace, scheme))
  const [baseline, lcs, jigsaw, laas, ta] = ['Baseline', 'LC+S', 'Jigsaw', 'LaaS', 'TA'].map(under)
  const beyondRequest = (trace: string): Maybe =>
    outcomes.value(({ metrics }) => metrics.fragmentation.internal, trace, 'LaaS')
  const leads = names.map((_, i) => difference(jigsaw[i], ofBoth(laas[i], ta[i], Math.max)))
  return [
    compare('6.1', 'LaaS on its best trace', 'share', paper.bestLaasUtilization, ofKnown(laas, most)),
    compare(
      '6.1',
      'nodes that LaaS allocates beyond the request, mean of the traces',
      'share',
      paper.laasInternalFragmentation,
      ofKnown(names.map(beyondRequest), mean),
    ),
    compare(
      '6.1',
      'nodes that LaaS allocates beyond the request, Thunder',
      'share',
      paper.laasInternalFragmentation.thunder,
      beyondRequest('Thunder'),
    ),
    ...names.map((trace, i) =>
      compare(
        '6',
        `Jigsaw behind Baseline, ${trace}`,
        'points',
        paper.behindBaseline,
        difference(baseline[i], jigsaw[i]),
      ),
    ),
    compare(
      '1',
      'Jigsaw ahead of the better of LaaS and TA, mean of the traces',
      'points',
      paper.aheadOfOthers,
      ofKnown(leads, mean),
    ),
    compare(
      '6.1',
      'LC+S ahead of Jigsaw, at most',
      'points',
      paper.lcsAheadOfJigsaw,
      ofKnown(
        names.map((_, i) => difference(lcs[i], jigsaw[i])),
        most,
      ),
    ),
    ...names.map((trace, i) =>
      state(
        '6.1',
        `Baseline > LC+S > Jigsaw - 0.5 points; Jigsaw > LaaS > TA: ${trace}`,
        both(
          ascends(lcs[i], baseline[i]),
          ascends(difference(jigsaw[i], 0.005), lcs[i]),
          ascends(ta[i], laas[i], jigsaw[i]),
        ),
      ),
    ),
    ...names.map((trace, i) =>
      state(
        '5.2.3',
        `LC without sharing is behind Jigsaw: ${trace}`,
        ascends(outcomes.value(steady, trace, 'LC'), jigsaw[i]),
      ),
    ),
    state(
      '6.1',
      'every scheme has its lowest utilization on Atlas',
      names.includes('Atlas')
        ? both(...[baseline, lcs, jigsaw, laas, ta].map((of) => lowestAt(names.indexOf('Atlas'), of)))
        : undefined,
    ),
  ]
}

function ofKnown(values: ReadonlyArray<Maybe>, reduce: (known: ReadonlyArray<number>) => number): Maybe {
  const known = anyKnown(values)
  return known && reduce(known)
}

function lowestAt(place: number, values: ReadonlyArray<Maybe>): boolean | undefined {
  const known = allKnown(values)
  return known && least(known) === known[place]
}

function both(...facts: ReadonlyArray<boolean | undefined>): boolean | undefined {
  return facts.includes(false) ? false : facts.includes(undefined) ? undefined : true
}

const seeds = [1, 2, 3, 4, 5]
const synthetic = seeds.map((seed) => ({
  name: `Synth-16, seed ${seed}`,
  source: { trace: `synth:16:10000:${seed}` },
  arrivals: 'zero',
  topology: 'radix:16',
}))
/** Scenarios that draw the speed-up of each job; the scenario V1 is from the Pollard paper. */
const drawn = ['V1', 'V2', 'Random'].map((name) => ({ name, scenario: name.toLowerCase() }))
const [baseline, sharing, jigsaw] = named(paper.schemes, 'Baseline', 'LC+S', 'Jigsaw')

/** Experiment on seeds: how much results vary with the draw of the jobs, of bandwidths, or of speed-ups. */
export const spread: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(synthetic)
  const [first] = located
  const ofSeed = (planned: Planned, seed: number): Planned => ({
    ...changed(planned, { seed }),
    trace: `${planned.trace}, draw ${seed}`,
  })
  const outcomes = yield* runAll([
    ...located.flatMap((trace) => paper.schemes.map((scheme) => plan(trace, paper.queue, scheme))),
    ...(first === undefined
      ? []
      : seeds.flatMap((seed) => [
          ofSeed(plan(first, paper.queue, sharing), seed),
          ...drawn.map((scenario) => ofSeed(plan(first, paper.queue, jigsaw, scenario), seed)),
        ])),
  ])
  return reportOf(first === undefined ? [] : [ofJobs(outcomes), ofDraws(outcomes, first.name)])
})

function ofJobs(outcomes: Outcomes): Table {
  const traces = synthetic.map(({ name }) => name)
  return {
    title: `Utilization of Synth-16, whose jobs ${seeds.length} seeds draw`,
    heading: ['scheme', ...ofSeeds],
    rows: paper.schemes.map(({ name }) => [name, ...three(outcomes.values(steady, traces, name))]),
  }
}

function ofDraws(outcomes: Outcomes, trace: string): Table {
  const base = outcomes.value(makespan, trace, baseline.name)
  const draws = seeds.map((seed) => `${trace}, draw ${seed}`)
  const makespans = (scenario: string): ReadonlyArray<number> =>
    draws.flatMap((draw) => ratio(outcomes.value(makespan, draw, jigsaw.name, scenario), base) ?? [])
  return {
    title: `${trace}: ${seeds.length} draws of bandwidths, and of speed-ups`,
    heading: ['figure', ...ofSeeds],
    rows: [
      ['utilization under LC+S', ...three(outcomes.values(steady, draws, sharing.name))],
      ...drawn.map(({ name }) => [`makespan of Jigsaw over Baseline, ${name}`, ...three(makespans(name))]),
    ],
  }
}

const ofSeeds = ['mean, interval of 95 %', 'least', 'most']

function three(values: ReadonlyArray<number>): ReadonlyArray<string> {
  return values.length === 0
    ? ['-', '-', '-']
    : [withInterval(values), ...[least(values), most(values)].map(finePercent)]
}
