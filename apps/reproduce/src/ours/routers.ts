import { Effect } from 'effect'
import {
  type Figure,
  makespan,
  type Outcomes,
  plan,
  runOn,
  type Scheme,
  turnaround,
} from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import * as paper from '../jigsaw/paper.ts'
import { mean, threeDigits } from '../report/numbers.ts'
import { barGroup, relativeAxis, reportOf, seriesOf, type Table } from '../report/report.ts'
import { differenceWithInterval } from './workloads.ts'

/** Scheme to which the results of the other schemes are compared. */
const base = 'Baseline, random'

/** Policies with the router that makes the tables; contention follows the routes of the tables. */
const routed: ReadonlyArray<Scheme> = [
  { name: base, spec: { policy: 'baseline', router: 'random' } },
  { name: 'Baseline, min-hop', spec: { policy: 'baseline', router: 'min-hop' } },
  { name: 'Baseline, D-mod-k', spec: { policy: 'baseline', router: 'd-mod-k' } },
  { name: 'Baseline, scheduling-aware', spec: { policy: 'baseline', router: 'scheduling-aware' } },
  { name: 'Jigsaw, D-mod-k', spec: { policy: 'jigsaw', router: 'd-mod-k' } },
  { name: 'Jigsaw, partition', spec: { policy: 'jigsaw', router: 'partition' } },
  { name: 'Mosaic, partition', spec: { policy: 'mosaic', router: 'partition' } },
]

/** Shares of communication in the run time of a job that runs alone, in percent. */
const shares = [10, 30, 50]

const nameOf = (scheme: string, share: number): string => `${scheme}, ${share} %`

/** Five draws of the trace Synth-16, so that the mean of each figure has an interval. */
const draws = [1, 2, 3, 4, 5].map((seed) => ({
  name: `Synth-16, seed ${seed}`,
  source: { trace: `synth:16:1000:${seed}` },
  arrivals: 'zero',
  topology: 'radix:16',
}))

const slowdown: Figure = ({ metrics }) => metrics.contention.mean

/** Experiment on the worth of routes: policies under several routers, with the slowdown by the routes of the tables. */
export const routers: Experiment = Effect.gen(function* () {
  const { outcomes, names } = yield* runOn(draws, (trace) =>
    shares.flatMap((share) => routed.map((scheme) => plan(trace, paper.queue, contended(scheme, share)))),
  )
  const figures = [
    ['Slowdown by contention', slowdown],
    ['Makespan', makespan],
    ['Mean turnaround', turnaround],
  ] as const
  const sharesAtHand = shares.filter((share) => ratios(outcomes, makespan, names, base, share).length > 0)
  const panels = figures.slice(1).map(([title, of]) => ({
    title,
    groups: sharesAtHand.map((share) =>
      barGroup(
        `${share}%`,
        routed.map(({ name }) => name),
        (scheme) => meanOf(ratios(outcomes, of, names, scheme, share)),
      ),
    ),
  }))
  const chart = {
    series: seriesOf(routed.map(({ name }) => name)),
    panels,
    axis: relativeAxis(`Relative to ${base}, by share of communication`, 0.5, 1.1, 0.1),
  }
  return reportOf(
    figures.map(([title, of]) => tableOf(title, of, outcomes, names)),
    [],
    [{ file: 'routers.svg', chart }],
  )
})

function contended({ name, spec }: Scheme, share: number): Scheme {
  const communication = `90%:all-to-all:${share}%`
  return { name: nameOf(name, share), spec: { ...spec, estimates: 'exact', communication, runTimes: 'contention' } }
}

/** Returns a table of a figure, in percent over the scheme `base` on the same draw; the slowdown as a plain mean. */
function tableOf(title: string, of: Figure, outcomes: Outcomes, names: ReadonlyArray<string>): Table {
  const isPlain = of === slowdown
  const cell = (scheme: string, share: number): string => {
    const values = outcomes.values(of, names, nameOf(scheme, share))
    if (isPlain) return values.length === 0 ? '-' : threeDigits(mean(values))
    const relative = ratios(outcomes, of, names, scheme, share)
    return differenceWithInterval(
      relative,
      relative.map(() => 1),
    )
  }
  return {
    title: isPlain ? `${title}: mean over the jobs` : `${title}: percent over ${base}, mean and its interval of 95 %`,
    heading: ['communication', ...routed.map(({ name }) => name)],
    rows: shares.map((share) => [`${share} %`, ...routed.map(({ name }) => cell(name, share))]),
  }
}

function ratios(
  outcomes: Outcomes,
  of: Figure,
  names: ReadonlyArray<string>,
  scheme: string,
  share: number,
): ReadonlyArray<number> {
  return names.flatMap((trace) => outcomes.ratio(of, trace, nameOf(scheme, share), 'None', nameOf(base, share)) ?? [])
}

function meanOf(values: ReadonlyArray<number>): number | undefined {
  return values.length === 0 ? undefined : mean(values)
}
