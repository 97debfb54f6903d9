import { Effect } from 'effect'
import { named, type Outcomes, plan, runOn, type Scheme, steady } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, type PaperTrace, Runs } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { allKnown, count, finePercent, ofBoth, orDash, ratio } from '../report/numbers.ts'
import { crossTable, reportOf } from '../report/report.ts'
import * as paper from './paper.ts'

/** Bounds on the steps of one search. The Jigsaw paper bounds the seconds of a search instead (section 5.4.3). */
const steps = [500, 1500, 5000, 15_000]
const [sharing, jigsaw] = named(paper.schemes, 'LC+S', 'Jigsaw')

/** Returns a scheme with least-constrained placement whose searches end after a number of steps. */
function bounded({ name, spec }: Scheme, maxSteps: number): Scheme {
  const config = typeof spec.policy === 'object' && 'config' in spec.policy ? spec.policy.config : {}
  return {
    name: `${name}, ${count(maxSteps)} steps`,
    spec: { ...spec, policy: { name: 'least-constrained', config: { ...config, maxSteps } } },
  }
}

/** Experiment on the bound of the searches of least-constrained placement, with and without shared links. */
export const bounds: Experiment = Effect.gen(function* () {
  const [without, shared] = [paper.leastConstrained, sharing].map((scheme) =>
    steps.map((most) => bounded(scheme, most)),
  )
  const schemes = [...without, ...shared, jigsaw]
  const traces = named(paper.traces, 'Synth-16', 'Synth-22', 'Synth-28')
  const { outcomes, names } = yield* runOn(traces, (trace) => schemes.map((scheme) => plan(trace, paper.queue, scheme)))
  const rows = schemes.map(({ name }) => name)
  const bound = rows.slice(0, -1)
  return reportOf(
    [
      crossTable('Utilization', 'utilization, steady state', rows, names, (scheme, trace) =>
        orDash(outcomes.value(steady, trace, scheme), finePercent),
      ),
      crossTable('Searches given up at the bound', '', bound, names, (scheme, trace) =>
        orDash(outcomes.get(trace, scheme)?.searchBounds, count),
      ),
    ],
    names.flatMap((trace) => without.map(({ name }) => behindJigsaw(outcomes, trace, name))),
  )
})

function behindJigsaw(outcomes: Outcomes, trace: string, scheme: string): Comparison {
  const holds = ofBoth(
    outcomes.value(steady, trace, scheme),
    outcomes.value(steady, trace, 'Jigsaw'),
    (one, other) => one < other,
  )
  return state('5.2.3', `least-constrained without sharing is behind Jigsaw: ${scheme}, ${trace}`, holds)
}

/** Synthetic traces on full fat trees of growing radix; the mean job size is the radix, as in the Jigsaw paper. */
const scaled: ReadonlyArray<PaperTrace & { readonly nodes: number }> = [16, 28, 32, 40].map((radix) => ({
  name: `radix ${radix}`,
  nodes: radix ** 3 / 4,
  source: { trace: `synth:${radix}` },
  arrivals: 'zero',
  topology: `radix:${radix}`,
}))

const timed = named(paper.schemes, 'Baseline', 'LC+S', 'Jigsaw', 'LaaS', 'TA 2017')

/** Experiment on the scheduling time per job by the size of the machine, beyond the largest machine of the paper. */
export const scale: Experiment = Effect.gen(function* () {
  const { time } = yield* Runs
  const seconds = new Map<string, number>()
  const traces = yield* locateAll(scaled)
  for (const trace of traces)
    for (const scheme of timed)
      seconds.set(`${trace.name} ${scheme.name}`, yield* time(plan(trace, paper.queue, scheme).spec))
  const of = (name: string, scheme: string): number | undefined => seconds.get(`${name} ${scheme}`)
  const inMicroseconds = (name: string, scheme: string): string =>
    orDash(of(name, scheme), (each) => `${(each * 1e6).toFixed(1)} µs`)
  return reportOf(
    [
      {
        title: 'Time in the scheduler per job, by nodes of the machine',
        heading: ['nodes', ...timed.map(({ name }) => name)],
        rows: traces.map(({ name, nodes }) => [
          count(nodes),
          ...timed.map((scheme) => inMicroseconds(name, scheme.name)),
        ]),
      },
    ],
    [
      ...traces.map(({ name, nodes }) =>
        compare(
          '6.4',
          `scheduling a job under Jigsaw on ${count(nodes)} nodes`,
          'seconds',
          { low: 0, high: paper.mostSchedulingTime.jigsaw },
          of(name, 'Jigsaw'),
        ),
      ),
      compare(
        '6.4',
        'scheduling a job under LC+S on 5,488 nodes',
        'seconds',
        paper.mostSchedulingTime.sharing,
        of('radix 28', 'LC+S'),
      ),
      compare(
        '6.4',
        'scheduling a job under LC+S on 5,488 nodes, over Jigsaw',
        'ratio',
        paper.mostSchedulingTime.sharing / paper.mostSchedulingTime.jigsaw,
        ratio(of('radix 28', 'LC+S'), of('radix 28', 'Jigsaw')),
      ),
      state(
        '6.4',
        'scheduling under LC+S takes longer on every larger machine',
        allKnown(traces.map(({ name }) => of(name, 'LC+S')))?.every((each, at, all) => at === 0 || each > all[at - 1]),
      ),
    ],
  )
})
