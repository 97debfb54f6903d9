import { Effect } from 'effect'
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
import * as paper from './paper.ts'
import { type Outcomes, type Planned, runAll } from '../experiment/outcomes.ts'
import type { Experiment } from '../experiment/experiment.ts'
import { type LocatedTrace, locateAll } from '../experiment/traces.ts'
import type { Report } from '../report/report.ts'

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

/** Runs every search in those of the cases whose logs are at hand, those that speed up at every factor. */
function make(
  cases: ReadonlyArray<Case>,
  factors: ReadonlyArray<number>,
  report: (cases: ReadonlyArray<Case>, mean: MeanTime) => Report,
): Experiment {
  return Effect.gen(function* () {
    const located = yield* locateAll(paper.logs.filter(({ name }) => cases.some(({ log }) => log === name)))
    const planned = located.flatMap((log) =>
      cases
        .filter((each) => each.log === log.name)
        .flatMap((at) =>
          paper.searches.flatMap((search) =>
            (search === 'first-fit' ? [0] : factors).map((factor) => plan(log, at, search, factor)),
          ),
        ),
    )
    const outcomes = yield* runAll(planned)
    return report(
      cases.filter(({ log }) => located.some(({ name }) => name === log)),
      meanTime(outcomes),
    )
  })
}

function plan(
  { located, topology, installed }: paper.PaperLog & { readonly located: LocatedTrace },
  at: Case,
  search: paper.Search,
  factor: number,
): Planned {
  const policy = { name: 'contiguous', config: { search, installed } }
  return {
    trace: caseName(at),
    scheme: search,
    scenario: scenario(factor),
    spec: {
      ...located,
      ...paper.estimates,
      topology,
      policy,
      queue: paper.queues[at.queue],
      scenario: scenario(factor),
    },
  }
}

function scenario(factor: number): string {
  return factor === 0 ? 'none' : `all:${(factor * 100).toFixed(0)}%`
}

function meanTime(outcomes: Outcomes): MeanTime {
  return (of, at, search, factor) => {
    const metrics = outcomes.get(caseName(at), search, scenario(factor))?.metrics
    return (of === 'wait' ? metrics?.wait.mean : metrics?.turnaround.mean) ?? undefined
  }
}
