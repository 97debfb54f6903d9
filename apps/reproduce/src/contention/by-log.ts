import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, plan, type Planned, runAll, type Scheme } from '../experiment/outcomes.ts'
import { locateAll, type LocatedTrace, type PaperTrace } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { series } from '../jigsaw/series.ts'
import { threshold } from '../pascual/threshold.ts'
import type { Report, Table } from '../report/report.ts'
import { least, mean, most } from '../report/statistics.ts'
import { contended, contendedName } from './contended.ts'

/** Job logs of the experiment. A recorded log runs on a tree of about the size of its own machine. */
const logs: ReadonlyArray<PaperTrace> = [
  { name: 'Synth-16', source: { trace: 'synth:16' }, arrivals: 'zero', topology: 'radix:16' },
  { name: 'Thunder', source: { trace: 'thunder' }, arrivals: 'zero', topology: 'radix:18' },
  { name: 'SDSC-BLUE', source: { trace: 'sdsc-blue' }, arrivals: 'trace', topology: 'pgft:3;6,6,4;1,6,6;1,1,1' },
  { name: 'HPC2N', source: { trace: 'hpc2n' }, arrivals: 'trace', topology: 'radix:10' },
]

/** Number of jobs in a stretch without the option `--first-jobs`. Each log has three consecutive stretches. */
const JOBS = 2000
const stretches = [0, 1, 2]

/** Shares of communication in a job's run time without contention, in percent; at 0 no job slows another job. */
const shares = [0, 10, 20, 30, 50]

/** Schemes whose jobs share links: run times under these schemes depend on the share of communication. */
const sharing = paper.schemes.filter(({ name }) => name === 'Baseline' || name === 'LC+S')
const isolating = paper.schemes.filter(({ name }) => ['Jigsaw', 'LaaS', 'TA'].includes(name))
const besideBaseline = [...sharing, ...isolating].filter(({ name }) => name !== 'Baseline')

export const byLog: Experiment = Effect.gen(function* () {
  const located = (yield* locateAll(logs)).map((log) => ({ ...log, queue: paper.queue }))
  const schemes = [
    ...sharing.flatMap((scheme) => shares.map((share) => (share === 0 ? scheme : contended(scheme, share)))),
    ...isolating,
  ]
  const planned = located.flatMap((log) =>
    stretches.flatMap((stretch) => schemes.map((scheme) => onStretch(log, stretch, scheme))),
  )
  return reportOf(
    yield* runAll(planned),
    located.map(({ name }) => name),
  )
})

function onStretch(
  log: Parameters<typeof plan>[0] & { readonly located: LocatedTrace },
  stretch: number,
  scheme: Scheme,
): Planned {
  const planned = plan({ ...log, name: nameOf(log.name, stretch) }, scheme)
  // The option `--first-jobs N` of `cloister reproduce` puts `first-jobs=N` into the filter: N replaces `JOBS`.
  const terms = (log.located.filter ?? '').split(',').filter((term) => term !== '' && !term.startsWith('first-jobs='))
  const [, asked] = /\bfirst-jobs=(\d+)/.exec(log.located.filter ?? '') ?? []
  const jobs = asked === undefined ? JOBS : Number(asked)
  return {
    ...planned,
    spec: {
      ...planned.spec,
      filter: [...terms, `first-jobs=${(stretch + 1) * jobs}`].join(','),
      ...(stretch === 0 ? {} : { resample: `drop-first:${stretch * jobs}` }),
    },
  }
}

function nameOf(log: string, stretch: number): string {
  return `${log}, stretch ${stretch}`
}

type Figure = (result: NonNullable<ReturnType<Outcomes['get']>>) => number | null

const makespan: Figure = ({ metrics }) => metrics.makespan
const turnaround: Figure = ({ metrics }) => metrics.turnaround.mean
const HOUR = 3600

class Found {
  readonly #outcomes: Outcomes

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes
  }

  /** Returns a scheme's figure in each stretch of a log. An isolating scheme has the same figure at every share. */
  values(log: string, scheme: string, share: number, of: Figure): ReadonlyArray<number> {
    return stretches.flatMap((stretch) => this.#of(log, stretch, scheme, share, of) ?? [])
  }

  /** Returns, for each stretch, a scheme's figure divided by Baseline's figure at the same share of communication. */
  ratios(log: string, scheme: string, share: number, of: Figure): ReadonlyArray<number> {
    return stretches.flatMap((stretch) => {
      const [own, base] = [scheme, 'Baseline'].map((name) => this.#of(log, stretch, name, share, of))
      return own === null || base === null ? [] : [own / base]
    })
  }

  #of(log: string, stretch: number, scheme: string, share: number, of: Figure): number | null {
    const isSharing = sharing.some(({ name }) => name === scheme)
    const name = isSharing && share > 0 ? contendedName(scheme, share) : scheme
    const result = this.#outcomes.get(nameOf(log, stretch), name)
    return result === undefined ? null : of(result)
  }
}

function reportOf(outcomes: Outcomes, names: ReadonlyArray<string>): Report {
  const found = new Found(outcomes)
  return {
    tables: [
      paysFrom(found, names),
      relative(found, names, 'Makespan relative to Baseline', makespan),
      relative(found, names, 'Mean turnaround relative to Baseline', turnaround),
      values(found, names, 'Utilization, steady state', ({ metrics }) => metrics.utilization.steady, percents),
      values(found, names, 'Mean wait in hours', ({ metrics }) => metrics.wait.mean, hours),
    ],
    comparisons: [],
    charts: [{ file: 'isolation-pays-by-log.svg', chart: chartOf(found, names) }],
  }
}

/** Returns the table of the shares of communication from which on a scheme's mean ratio to Baseline is at most 1. */
function paysFrom(found: Found, names: ReadonlyArray<string>): Table {
  const figures = [
    ['makespan', makespan],
    ['turnaround', turnaround],
  ] as const
  const from = (log: string, scheme: string, of: Figure): string => {
    const curve = shares.map((x) => ({ x, y: mean(found.ratios(log, scheme, x, of)) }))
    const share = threshold(curve, 1)
    return share === undefined ? `not up to ${shares.at(-1)} %` : `${share.toFixed(0)} %`
  }
  return {
    title: 'Share of communication from which on isolation pays',
    heading: ['', ...isolating.flatMap(({ name }) => figures.map(([what]) => `${name}: ${what}`))],
    rows: names.map((log) => [log, ...isolating.flatMap(({ name }) => figures.map(([, of]) => from(log, name, of)))]),
  }
}

function relative(found: Found, names: ReadonlyArray<string>, title: string, of: Figure): Table {
  return {
    title: `${title}: mean of ${stretches.length} stretches, least and most`,
    heading: ['log', 'communication', 'slowdown under Baseline', ...besideBaseline.map(({ name }) => name)],
    rows: names.flatMap((log) =>
      shares.map((share) => [
        log,
        `${share} %`,
        share === 0 ? '1' : mean(found.values(log, 'Baseline', share, slowdown)).toFixed(3),
        ...besideBaseline.map(({ name }) => spread(found.ratios(log, name, share, of))),
      ]),
    ),
  }
}

const slowdown: Figure = ({ metrics }) => metrics.contention.mean

function values(
  found: Found,
  names: ReadonlyArray<string>,
  title: string,
  of: Figure,
  show: (value: number) => string,
): Table {
  return {
    title: `${title}: mean of ${stretches.length} stretches`,
    heading: ['log', 'communication', ...[...sharing, ...isolating].map(({ name }) => name)],
    rows: names.flatMap((log) =>
      shares.map((share) => [
        log,
        `${share} %`,
        ...[...sharing, ...isolating].map(({ name }) => show(mean(found.values(log, name, share, of)))),
      ]),
    ),
  }
}

function chartOf(found: Found, names: ReadonlyArray<string>): Report['charts'][number]['chart'] {
  return {
    series: series(besideBaseline),
    panels: names.map((log) => ({
      title: log,
      groups: shares.map((share) => ({
        name: `${share}%`,
        bars: besideBaseline.map(({ name }) => ({ value: mean(found.ratios(log, name, share, turnaround)) })),
      })),
    })),
    axis: {
      label: 'Mean turnaround relative to Baseline, by share of communication',
      from: 0,
      to: 2,
      step: 0.25,
      reference: 1,
      unit: 'ratio',
      digits: 2,
    },
  }
}

function spread(ratios: ReadonlyArray<number>): string {
  return `${mean(ratios).toFixed(3)} (${least(ratios).toFixed(3)} to ${most(ratios).toFixed(3)})`
}

function percents(share: number): string {
  return `${(100 * share).toFixed(2)} %`
}

function hours(seconds: number): string {
  return (seconds / HOUR).toFixed(2)
}
