import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, plan, type Planned, runAll, type Scenario } from '../experiment/outcomes.ts'
import { type LocatedTrace, locateAll } from '../experiment/traces.ts'
import type { Report } from '../report/report.ts'
import * as paper from './paper.ts'
import {
  type Case,
  type MeanTime,
  caseName,
  statedOfHpc2n,
  statedOfOthers,
  statedOfWaits,
  timesBySpeedup,
  waitsWithoutSpeedup,
} from './report.ts'

const queues = ['FCFS', 'EASY'] as const
const casesOf = (logs: ReadonlyArray<paper.LogName>, of: ReadonlyArray<paper.QueueName>): ReadonlyArray<Case> =>
  logs.flatMap((log) => of.map((queue) => ({ log, queue })))
const hpc2n = casesOf(['HPC2N'], queues)

export const waitsOfContiguous: Experiment = make(casesOf(['HPC2N', 'SDSC', 'LLNL'], queues), [0], (cases, mean) =>
  waitsWithoutSpeedup(cases, mean, 'pascual-fig2.svg'),
)

export const totalsOfHpc2n: Experiment = make(hpc2n, paper.factors, (cases, mean) => ({
  ...timesBySpeedup('total', cases, mean, 'pascual-fig3.svg'),
  comparisons: statedOfHpc2n(mean),
}))

export const waitsOfHpc2n: Experiment = make(hpc2n, paper.factors, (cases, mean) => ({
  ...timesBySpeedup('wait', cases, mean, 'pascual-fig4.svg'),
  comparisons: statedOfWaits(hpc2n, mean),
}))

export const totalsOfOthers: Experiment = make(casesOf(['SDSC', 'LLNL'], ['EASY']), paper.factors, (cases, mean) => ({
  ...timesBySpeedup('total', cases, mean, 'pascual-fig5.svg'),
  comparisons: statedOfOthers(mean),
}))

/** Makes an experiment with runs of `contiguous` and `relaxed` at each speed-up, and of first fit without speed-up. */
function make(
  cases: ReadonlyArray<Case>,
  factors: ReadonlyArray<number>,
  report: (cases: ReadonlyArray<Case>, mean: MeanTime) => Report,
): Experiment {
  return Effect.gen(function* () {
    const located = yield* locateAll(paper.logs.filter(({ name }) => cases.some(({ log }) => log === name)))
    const planned = located.flatMap((log) =>
      cases.filter((each) => each.log === log.name).flatMap((at) => runsOf(log, at, factors)),
    )
    const outcomes = yield* runAll(planned)
    return report(
      cases.filter(({ log }) => located.some(({ name }) => name === log)),
      meanTime(outcomes),
    )
  })
}

function runsOf(
  { located, topology, installed }: paper.PaperLog & { readonly located: LocatedTrace },
  at: Case,
  factors: ReadonlyArray<number>,
): ReadonlyArray<Planned> {
  const trace = { name: caseName(at), topology, queue: paper.queues[at.queue], located }
  return paper.searches.flatMap((search) => {
    const policy = { name: 'contiguous', config: { search, installed } }
    const scheme = { name: search, spec: { ...paper.estimates, policy } }
    return (search === 'first-fit' ? [0] : factors).map((factor) => plan(trace, scheme, speedup(factor)))
  })
}

function speedup(factor: number): Scenario {
  const percent = (factor * 100).toFixed(0)
  return { name: percent, scenario: factor === 0 ? 'none' : `all:${percent}%` }
}

function meanTime(outcomes: Outcomes): MeanTime {
  return (of, at, search, factor) => {
    const metrics = outcomes.get(caseName(at), search, speedup(factor).name)?.metrics
    return (of === 'wait' ? metrics?.wait.mean : metrics?.turnaround.mean) ?? undefined
  }
}
