import { Effect } from 'effect'
import {
  type Figure,
  makespan,
  named,
  type Outcomes,
  plan,
  runOn,
  type Scheme,
  steady,
  turnaround,
} from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import type { PaperTrace } from '../experiment/services.ts'
import * as paper from '../jigsaw/paper.ts'
import { finePercent, hours, least, mean, most, orDash, threeDigits, threshold } from '../report/numbers.ts'
import { type BarChart, barGroup, relativeAxis, reportOf, seriesOf, type Table } from '../report/report.ts'

/** Adds contention to a scheme: nine of ten jobs communicate, all-to-all, for `share` percent of their run time. */
function contended({ name, spec }: Scheme, share: number): Scheme {
  const communication = `90%:all-to-all:${share}%`
  return {
    name: contendedName(name, share),
    spec: { ...spec, estimates: 'exact', communication, runTimes: 'contention' },
  }
}

function contendedName(scheme: string, share: number): string {
  return `${scheme}, ${share} %`
}

/** Returns the figures of a scheme over the figures of `to`, trace by trace. Isolation pays below 1. */
function ratios(
  outcomes: Outcomes,
  of: Figure,
  traces: ReadonlyArray<string>,
  scheme: string,
  to: string,
): ReadonlyArray<number> {
  return traces.flatMap((trace) => outcomes.ratio(of, trace, scheme, 'None', to) ?? [])
}

const slowdown: Figure = ({ metrics }) => metrics.contention.mean

function spread(values: ReadonlyArray<number>): string {
  return `${threeDigits(mean(values))} (${threeDigits(least(values))} to ${threeDigits(most(values))})`
}

/** Three traces of 2000 jobs, drawn by seeds like the Jigsaw paper's trace Synth-16, on the paper's machine. */
const synthetic = [1, 2, 3].map((seed) => ({
  name: `Synth-16, seed ${seed}`,
  source: { trace: `synth:16:2000:${seed}` },
  arrivals: 'zero',
  topology: 'radix:16',
}))

export const isolationPays: Experiment = Effect.gen(function* () {
  const shares = [10, 20, 30, 50, 70]
  const schemes = named(paper.schemes, 'Baseline', 'Jigsaw')
  const { outcomes, names } = yield* runOn(synthetic, (trace) =>
    shares.flatMap((share) => schemes.map((scheme) => plan(trace, paper.queue, contended(scheme, share)))),
  )
  const figures: ReadonlyArray<readonly [name: string, of: Figure]> = [
    ['makespan', makespan],
    ['mean turnaround', turnaround],
  ]
  const found = (of: Figure, share: number): ReadonlyArray<number> =>
    ratios(outcomes, of, names, contendedName('Jigsaw', share), contendedName('Baseline', share))
  const panels = figures.map(([name, of]) => ({
    title: `Jigsaw over Baseline: ${name}`,
    groups: shares.flatMap((share) => {
      const values = found(of, share)
      return values.length === 0 ? [] : [barGroup(`${share}%`, [mean(values)], (value) => value)]
    }),
  }))
  const chart = {
    series: seriesOf(['Jigsaw']),
    panels,
    axis: relativeAxis('Relative to Baseline, by share of communication', 0.5, 1.1, 0.1),
  }
  const table = {
    title: 'Jigsaw, which slows nobody, over Baseline, where jobs share links: mean of three seeds, least and most',
    heading: ['communication', 'slowdown under Baseline', ...figures.map(([name]) => name)],
    rows: shares.flatMap((share) => {
      const values = figures.map(([, of]) => found(of, share))
      const slowdowns = outcomes.values(slowdown, names, contendedName('Baseline', share))
      return values.some(({ length }) => length === 0) ? [] : [[`${share} %`, ...[slowdowns, ...values].map(spread)]]
    }),
  }
  return reportOf([table], [], [{ file: 'isolation-pays.svg', chart }])
})

/** Job logs of the experiment. A recorded log runs on a tree of about the size of its own machine. */
const logs: ReadonlyArray<PaperTrace> = [
  { name: 'Synth-16', source: { trace: 'synth:16' }, arrivals: 'zero', topology: 'radix:16' },
  { name: 'Thunder', source: { trace: 'thunder' }, arrivals: 'zero', topology: 'radix:18' },
  { name: 'SDSC-BLUE', source: { trace: 'sdsc-blue' }, arrivals: 'trace', topology: 'pgft:3;6,6,4;1,6,6;1,1,1' },
  { name: 'HPC2N', source: { trace: 'hpc2n' }, arrivals: 'trace', topology: 'radix:10' },
]

/** Shares of communication in a job's run time without contention, in percent; at 0 no job slows another job. */
const shares = [0, 10, 20, 30, 50]

/** Schemes whose jobs share links: run times under these schemes depend on the share of communication. */
const sharing = named(paper.schemes, 'Baseline', 'LC+S')
const isolating = named(paper.schemes, 'Jigsaw', 'LaaS', 'TA')
const besideBaseline = [...sharing, ...isolating].map(({ name }) => name).filter((name) => name !== 'Baseline')

export const byLog: Experiment = Effect.gen(function* () {
  const schemes = [
    ...sharing.flatMap((scheme) => shares.map((share) => (share === 0 ? scheme : contended(scheme, share)))),
    ...isolating,
  ]
  const { outcomes, names } = yield* runOn(logs, (log) => schemes.map((scheme) => plan(log, paper.queue, scheme)))
  const found = new ByLog(outcomes)
  const chart = {
    series: seriesOf(besideBaseline),
    panels: found.panels(names),
    axis: relativeAxis('Mean turnaround relative to Baseline, by share of communication', 0, 2, 0.25),
  }
  return reportOf(
    [
      found.paysFrom(names),
      found.relative(names, 'Makespan relative to Baseline', makespan),
      found.relative(names, 'Mean turnaround relative to Baseline', turnaround),
      found.absolute(names, 'Utilization, steady state', steady, finePercent),
      found.absolute(names, 'Mean wait in hours', ({ metrics }) => metrics.wait.mean, hours),
    ],
    [],
    [{ file: 'isolation-pays-by-log.svg', chart }],
  )
})

/** Results of the runs of each log. */
class ByLog {
  readonly #outcomes: Outcomes

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes
  }

  /** Returns the table of the shares of communication from which on a scheme's ratio to Baseline is at most 1. */
  paysFrom(names: ReadonlyArray<string>): Table {
    const figures = [
      ['makespan', makespan],
      ['turnaround', turnaround],
    ] as const
    const from = (log: string, scheme: string, of: Figure): string => {
      const curve = shares.flatMap((x) => {
        const y = this.#ratio(log, scheme, x, of)
        return y === undefined ? [] : [{ x, y }]
      })
      if (curve.length < shares.length) return '-'
      const share = threshold(curve, 1)
      return share === undefined ? `not up to ${shares.at(-1)} %` : `${share.toFixed(0)} %`
    }
    return {
      title: 'Share of communication from which on isolation pays',
      heading: ['', ...isolating.flatMap(({ name }) => figures.map(([what]) => `${name}: ${what}`))],
      rows: names.map((log) => [log, ...isolating.flatMap(({ name }) => figures.map(([, of]) => from(log, name, of)))]),
    }
  }

  relative(names: ReadonlyArray<string>, title: string, of: Figure): Table {
    return {
      title,
      heading: ['log', 'communication', 'slowdown under Baseline', ...besideBaseline],
      rows: rowsOf(names, (log, share) => [
        share === 0 ? '1' : orDash(this.#value(log, 'Baseline', share, slowdown), threeDigits),
        ...besideBaseline.map((scheme) => orDash(this.#ratio(log, scheme, share, of), threeDigits)),
      ]),
    }
  }

  absolute(names: ReadonlyArray<string>, title: string, of: Figure, show: (value: number) => string): Table {
    return {
      title,
      heading: ['log', 'communication', 'Baseline', ...besideBaseline],
      rows: rowsOf(names, (log, share) =>
        ['Baseline', ...besideBaseline].map((scheme) => orDash(this.#value(log, scheme, share, of), show)),
      ),
    }
  }

  panels(names: ReadonlyArray<string>): BarChart['panels'] {
    return names.map((log) => ({
      title: log,
      groups: shares.map((share) =>
        barGroup(`${share}%`, besideBaseline, (scheme) => this.#ratio(log, scheme, share, turnaround)),
      ),
    }))
  }

  #value(log: string, scheme: string, share: number, of: Figure): number | undefined {
    return this.#outcomes.value(of, log, schemeAt(scheme, share))
  }

  /** Returns a scheme's figure divided by Baseline's figure at the same share of communication. */
  #ratio(log: string, scheme: string, share: number, of: Figure): number | undefined {
    return this.#outcomes.ratio(of, log, schemeAt(scheme, share), 'None', schemeAt('Baseline', share))
  }
}

/** Returns the name of a scheme's runs at a share of communication. An isolating scheme has the same runs at each. */
function schemeAt(scheme: string, share: number): string {
  return share > 0 && sharing.some(({ name }) => name === scheme) ? contendedName(scheme, share) : scheme
}

function rowsOf(
  names: ReadonlyArray<string>,
  cells: (log: string, share: number) => ReadonlyArray<string>,
): Table['rows'] {
  return names.flatMap((log) => shares.map((share) => [log, `${share} %`, ...cells(log, share)]))
}
