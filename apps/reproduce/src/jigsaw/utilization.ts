import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, plan, runAll, type Scheme } from '../experiment/outcomes.ts'
import { type PaperTrace, locateAll } from '../experiment/traces.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { allKnown, anyKnown } from '../report/known-values.ts'
import { count, percent } from '../report/quantities.ts'
import type { Report } from '../report/report.ts'
import { least, mean, most } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { series } from './series.ts'

export const fig6: Experiment = Effect.gen(function* () {
  const schemes = paper.schemes.flatMap((scheme) =>
    scheme.name === 'LC+S' ? [scheme, paper.leastConstrained] : [scheme],
  )
  const { outcomes, names } = yield* utilizations(paper.traces, schemes)
  return report(outcomes, names, schemes, 'jigsaw-fig6.svg', [...stated(outcomes), ...derived(outcomes, names)])
})

/** Experiment on 1024 nodes: many job sizes are multiples of 8, a leaf, so LaaS rounds up less than on 1458 nodes. */
export const on1024Nodes: Experiment = Effect.gen(function* () {
  const large = paper.traces.filter(({ name }) => name === 'Thunder' || name === 'Atlas')
  const both = large.flatMap((trace) => [trace, { ...trace, name: `${trace.name}, 1024 nodes`, topology: 'radix:16' }])
  const { outcomes, names } = yield* utilizations(both, paper.schemes)
  const claims = large.flatMap(({ name }) => [
    state(
      '5.4.3',
      `LaaS is better on 1024 nodes than on 1458: ${name}`,
      ascends(steady(outcomes, name, 'LaaS'), steady(outcomes, `${name}, 1024 nodes`, 'LaaS')),
    ),
    state(
      '5.4.3',
      `Jigsaw is ahead of LaaS on 1024 nodes too: ${name}`,
      ascends(steady(outcomes, `${name}, 1024 nodes`, 'LaaS'), steady(outcomes, `${name}, 1024 nodes`, 'Jigsaw')),
    ),
  ])
  return report(outcomes, names, paper.schemes, 'jigsaw-1024.svg', claims)
})

const utilizations = Effect.fnUntraced(function* (traces: ReadonlyArray<PaperTrace>, schemes: ReadonlyArray<Scheme>) {
  const located = yield* locateAll(traces)
  const planned = located.flatMap((trace) => schemes.map((scheme) => plan({ ...trace, queue: paper.queue }, scheme)))
  return { outcomes: yield* runAll(planned), names: located.map(({ name }) => name) }
})

function steady(outcomes: Outcomes, trace: string, scheme: string): Maybe {
  return outcomes.get(trace, scheme)?.metrics.utilization.steady ?? undefined
}

function ascends(...values: ReadonlyArray<Maybe>): boolean | undefined {
  return allKnown(values)?.every((value, index, known) => index === 0 || value > known[index - 1])
}

function report(
  outcomes: Outcomes,
  names: ReadonlyArray<string>,
  schemes: ReadonlyArray<Scheme>,
  file: string,
  comparisons: ReadonlyArray<Comparison>,
): Report {
  const heading = ['utilization, steady state', ...schemes.map(({ name }) => name)]
  const rows = names.map((trace) => [trace, ...schemes.map((scheme) => shown(steady(outcomes, trace, scheme.name)))])
  const chart = {
    series: series(schemes),
    panels: [
      {
        title: '',
        groups: names.map((trace) => ({
          name: trace.replace(', 1024 nodes', ' 1024'),
          bars: schemes.map((scheme) => {
            const value = steady(outcomes, trace, scheme.name)
            return value === undefined ? null : { value }
          }),
        })),
      },
    ],
    axis: { label: 'Average system utilization', from: 0.8, to: 1, step: 0.05, unit: 'share' as const, digits: 0 },
  }
  return {
    tables: [{ title: 'Utilization', heading, rows }, ...givenUp(outcomes, names, schemes)],
    comparisons,
    charts: [{ file, chart }],
  }
}

function givenUp(outcomes: Outcomes, names: ReadonlyArray<string>, schemes: ReadonlyArray<Scheme>): Report['tables'] {
  const bounds = (trace: string, scheme: string): number => outcomes.get(trace, scheme)?.searchBounds ?? 0
  const bounded = schemes.filter(({ name }) => names.some((trace) => bounds(trace, name) > 0))
  const rows = names.map((trace) => [trace, ...bounded.map(({ name }) => count(bounds(trace, name)))])
  return bounded.length === 0
    ? []
    : [
        {
          title: 'Searches given up at the bound of the policy',
          heading: ['', ...bounded.map(({ name }) => name)],
          rows,
        },
      ]
}

function stated(outcomes: Outcomes): ReadonlyArray<Comparison> {
  return paper.utilization.flatMap(({ scheme, only, except, ...range }) =>
    paper.traces
      .filter(({ name }) => (only?.includes(name) ?? true) && !(except?.includes(name) ?? false))
      .map(({ name }) =>
        compare('6.1', `utilization under ${scheme}, ${name}`, 'share', range, steady(outcomes, name, scheme)),
      ),
  )
}

function shown(share: Maybe): string {
  return share === undefined ? '-' : percent(share, 2)
}

type Maybe = number | undefined

function derived(outcomes: Outcomes, names: ReadonlyArray<string>): ReadonlyArray<Comparison> {
  const under = (scheme: string): ReadonlyArray<Maybe> => names.map((trace) => steady(outcomes, trace, scheme))
  const [baseline, lcs, jigsaw, laas, ta] = ['Baseline', 'LC+S', 'Jigsaw', 'LaaS', 'TA'].map(under)
  const beyondRequest = (trace: string): Maybe =>
    outcomes.get(trace, 'LaaS')?.metrics.fragmentation.internal ?? undefined
  const leads = names.map((_, i) => less(jigsaw[i], higher(laas[i], ta[i])))
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
      compare('6', `Jigsaw behind Baseline, ${trace}`, 'points', paper.behindBaseline, less(baseline[i], jigsaw[i])),
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
        names.map((_, i) => less(lcs[i], jigsaw[i])),
        most,
      ),
    ),
    ...names.map((trace, i) =>
      state(
        '6.1',
        `Baseline > LC+S > Jigsaw - 0.5 points; Jigsaw > LaaS > TA: ${trace}`,
        both(ascends(lcs[i], baseline[i]), ascends(less(jigsaw[i], 0.005), lcs[i]), ascends(ta[i], laas[i], jigsaw[i])),
      ),
    ),
    ...names.map((trace, i) =>
      state(
        '5.2.3',
        `LC without sharing is behind Jigsaw: ${trace}`,
        ascends(steady(outcomes, trace, 'LC'), jigsaw[i]),
      ),
    ),
    state(
      '6.1',
      'every scheme has its lowest utilization on Atlas',
      names.includes('Atlas')
        ? both(...[baseline, lcs, jigsaw, laas, ta].map((of) => lowestOnAtlas(of, names)))
        : undefined,
    ),
  ]
}

function less(a: Maybe, b: Maybe): Maybe {
  return a === undefined || b === undefined ? undefined : a - b
}

function higher(a: Maybe, b: Maybe): Maybe {
  return a === undefined || b === undefined ? undefined : Math.max(a, b)
}

function ofKnown(values: ReadonlyArray<Maybe>, reduce: (known: ReadonlyArray<number>) => number): Maybe {
  const known = anyKnown(values)
  return known === undefined ? undefined : reduce(known)
}

function lowestOnAtlas(values: ReadonlyArray<Maybe>, names: ReadonlyArray<string>): boolean | undefined {
  const known = allKnown(values)
  return known === undefined ? undefined : least(known) === known[names.indexOf('Atlas')]
}

function both(...facts: ReadonlyArray<boolean | undefined>): boolean | undefined {
  return facts.includes(false) ? false : facts.includes(undefined) ? undefined : true
}
