import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Planned, Outcomes, plan, type Scheme, runAll } from '../experiment/outcomes.ts'
import { locateAll } from '../experiment/traces.ts'
import { series } from '../jigsaw/series.ts'
import type { Report } from '../report/report.ts'
import { least, mean, most } from '../report/statistics.ts'
import { contended, contendedName } from './contended.ts'

/** Three traces of 2000 jobs, drawn by seeds like the Jigsaw paper's trace Synth-16, on the paper's machine. */
const traces = [1, 2, 3].map((seed) => ({
  name: `Synth-16, seed ${seed}`,
  source: { trace: `synth:16:2000:${seed}` },
  arrivals: 'zero',
  topology: 'radix:16',
  queue: 'easy:50',
}))

/** Shares of communication in a job's run time without contention, in percent. */
const shares = [10, 20, 30, 50, 70]

const schemes: ReadonlyArray<Scheme> = [
  { name: 'Baseline', spec: { policy: 'baseline' } },
  { name: 'Jigsaw', spec: { policy: 'jigsaw' } },
]

export const isolationPays: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(traces)
  const planned: ReadonlyArray<Planned> = located.flatMap((trace) =>
    shares.flatMap((share) => schemes.map((scheme) => plan(trace, contended(scheme, share)))),
  )
  return reportOf(
    yield* runAll(planned),
    located.map(({ name }) => name),
  )
})

/** Returns for each trace the figure `of` under Jigsaw over the figure under Baseline. Isolation pays below 1. */
function ratios(outcomes: Outcomes, names: ReadonlyArray<string>, share: number, of: Figure): ReadonlyArray<number> {
  return names.flatMap((trace) => {
    const [own, shared] = ['Jigsaw', 'Baseline'].map((scheme) => {
      const found = outcomes.get(trace, contendedName(scheme, share))
      return found === undefined ? null : of(found)
    })
    return own === null || shared === null ? [] : [own / shared]
  })
}

type Figure = (result: NonNullable<ReturnType<Outcomes['get']>>) => number | null

const figures: ReadonlyArray<readonly [name: string, of: Figure]> = [
  ['makespan', ({ metrics }) => metrics.makespan],
  ['mean turnaround', ({ metrics }) => metrics.turnaround.mean],
]

function reportOf(outcomes: Outcomes, names: ReadonlyArray<string>): Report {
  const slowdowns = (share: number): ReadonlyArray<number> =>
    names.flatMap((trace) => outcomes.get(trace, contendedName('Baseline', share))?.metrics.contention.mean ?? [])
  const rows = shares.flatMap((share) => {
    const found = figures.map(([, of]) => ratios(outcomes, names, share, of))
    return found.some((values) => values.length === 0)
      ? []
      : [[`${share} %`, spread(slowdowns(share)), ...found.map(spread)]]
  })
  const panels = figures.map(([name, of]) => ({
    title: `Jigsaw over Baseline: ${name}`,
    groups: shares.flatMap((share) => {
      const values = ratios(outcomes, names, share, of)
      return values.length === 0 ? [] : [{ name: `${share}%`, bars: [{ value: mean(values) }] }]
    }),
  }))
  const chart = {
    series: series([{ name: 'Jigsaw', spec: { policy: 'jigsaw' } }]),
    panels,
    axis: {
      label: 'Relative to Baseline, by share of communication',
      from: 0.5,
      to: 1.1,
      step: 0.1,
      reference: 1,
      unit: 'ratio' as const,
      digits: 2,
    },
  }
  return {
    tables: [
      {
        title: 'Jigsaw, which slows nobody, over Baseline, where jobs share links: mean of three seeds, least and most',
        heading: ['communication', 'slowdown under Baseline', ...figures.map(([name]) => name)],
        rows,
      },
    ],
    comparisons: [],
    charts: [{ file: 'isolation-pays.svg', chart }],
  }
}

function spread(values: ReadonlyArray<number>): string {
  return `${mean(values).toFixed(3)} (${least(values).toFixed(3)} to ${most(values).toFixed(3)})`
}
