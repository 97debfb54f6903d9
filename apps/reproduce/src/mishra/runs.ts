import type { GivenSpec } from '@cloister/run'
import type { Job } from '@cloister/workload'
import { Effect } from 'effect'
import { type LocatedTrace, Records, type RunResult, Runs } from '../experiment/services.ts'
import { least, mean, most, percent } from '../report/numbers.ts'
import * as paper from './paper.ts'

/** Number of jobs behind the head that backfilling tries: Slurm's default. */
const WINDOW = 100

/** Returns the name of a mixture for runs: the patterns with the pairs of the reading. */
export function patternOf({ parts }: paper.Mix, { pairs }: Pick<paper.Reading, 'pairs'>): string {
  const names = parts.map(([pattern, weight]) => [paper.patterns[pairs][pattern], weight] as const)
  return names.length === 1 ? names[0][0] : names.map(([name, weight]) => `${name}*${weight}`).join('+')
}

/** Returns the policy and its config for an algorithm of the Mishra paper, under a reading of the paper. */
export function policyOf(
  algorithm: paper.Algorithm,
  mix: paper.Mix,
  reading: Pick<paper.Reading, 'pairs' | 'steps' | 'ranks' | 'ties'>,
): { readonly policy: string; readonly config: Readonly<Record<string, string>> } {
  const ties = reading.ties === 'code' ? 'communicating' : 'ids'
  const ranks = reading.ranks === 'ids' ? 'ids' : 'leaves'
  switch (algorithm) {
    case 'Default':
      return { policy: 'slurm-tree', config: {} }
    case 'Greedy':
      return { policy: 'greedy', config: { ties } }
    case 'Balanced':
      return { policy: 'balanced', config: { ties, ranks } }
    case 'Adaptive':
      return { policy: 'adaptive', config: { ties, ranks, pattern: patternOf(mix, reading), cost: measureOf(reading) } }
  }
}

/** Returns the measure of communication costs under a reading of the paper. */
export function measureOf({ steps }: Pick<paper.Reading, 'steps'>): 'sized' | 'effective' {
  return steps === 'weighted' ? 'sized' : 'effective'
}

/** Returns the filter of a log for the job sizes of a reading: sizes are divided before all other terms. */
export function filterOf(filter: string | undefined, { scale }: Pick<paper.Reading, 'scale'>): string {
  return [...(scale === 1 ? [] : [`size=requested/${scale}`]), ...(filter === undefined ? [] : [filter])].join(',')
}

/** Inputs of the runs of a log: the log on a machine, under a reading of the Mishra paper, with a mixture of patterns. */
export interface Continuous {
  readonly located: LocatedTrace
  readonly reading: paper.Reading
  readonly mix: paper.Mix
  /** Share of the jobs that communicate, in percent. Default: 90. */
  readonly communicating?: number
  /** Seeds of the draws of the communicating jobs, one run for each. Default: `seeds`. */
  readonly drawn?: ReadonlyArray<number>
}

/**
 * Returns the run of a log under an algorithm. Except under the default, costs in two earlier runs scale the run times
 * (equation 7).
 */
function specOf(
  { located, reading, mix, communicating = paper.communicating }: Continuous,
  algorithm: paper.Algorithm,
  seed: number,
): GivenSpec {
  const { queue, oldCost, share, topology } = reading
  const classes = share === 'list' ? 'file' : `${communicating}%`
  return {
    trace: located.trace,
    filter: filterOf(located.filter, reading),
    arrivals: 'trace',
    topology,
    ...policyOf(algorithm, mix, reading),
    ...(queue === 'EASY' ? { queue: `easy:${WINDOW}`, reservation: 'fixed' } : { queue: `unreserved:${WINDOW}` }),
    // Under EASY the scheduler knows the run times, because estimates are exact.
    estimates: 'exact',
    overrun: 'run-on',
    communication: [classes, patternOf(mix, reading), ...(share === 'list' ? [] : [`${share / 10}%`])].join(':'),
    ...(algorithm === 'Default'
      ? {}
      : { cost: measureOf(reading), costsFrom: oldCost === 'default run' ? 'two-runs' : 'one-run' }),
    seed,
  }
}

/** Seeds of the draws of the jobs that communicate. */
export const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
export const drawn = `${seeds.length} draws`

const HOUR = 3600

/** Functions that return a figure of a run, in hours or node-hours, summed over the jobs; `makespan` is no sum. */
const figures = {
  execution: ({ metrics: { jobs, turnaround, wait } }: RunResult): number =>
    ((turnaround.mean! - wait.mean!) * jobs.started) / HOUR,
  wait: ({ metrics: { jobs, wait } }: RunResult): number => (wait.mean! * jobs.started) / HOUR,
  turnaround: ({ metrics: { jobs, turnaround } }: RunResult): number => (turnaround.mean! * jobs.started) / HOUR,
  nodeHours: ({ metrics }: RunResult): number => metrics.nodeHours!.busy,
  makespan: ({ metrics }: RunResult): number => metrics.makespan! / HOUR,
}
export type Figure = keyof typeof figures

/** Runs of the same jobs under every algorithm, one run for each draw of the communicating jobs. */
export class Draws {
  readonly #results: ReadonlyArray<Readonly<Record<paper.Algorithm, RunResult>>>

  constructor(results: ReadonlyArray<Readonly<Record<paper.Algorithm, RunResult>>>) {
    this.#results = results
  }

  /** Returns the mean of an algorithm's figure over the draws of the communicating jobs. */
  value(figure: Figure, algorithm: paper.Algorithm): number {
    return mean(this.#results.map((each) => figures[figure](each[algorithm])))
  }

  /** Returns for each draw the share of the default's figure that an algorithm saves; 0 if the default has 0. */
  saved(figure: Figure, algorithm: paper.Algorithm): ReadonlyArray<number> {
    return this.#results.map((each) => {
      const byDefault = figures[figure](each.Default)
      return byDefault === 0 ? 0 : 1 - figures[figure](each[algorithm]) / byDefault
    })
  }

  /** Returns a text for each algorithm of the Mishra paper: the saved shares' mean, with the least and the largest. */
  savedTexts(figure: Figure): ReadonlyArray<string> {
    return paper.ours.map((algorithm) => spread(this.saved(figure, algorithm)))
  }
}

/** Runs a log under every algorithm. Returns undefined if a run failed. */
export const drawsOf = Effect.fnUntraced(function* (of: Continuous) {
  const { run } = yield* Runs
  const specs = (of.drawn ?? seeds).map((seed) => paper.algorithms.map((algorithm) => specOf(of, algorithm, seed)))
  const results = (yield* run(specs.flat())).filter((result) => result !== undefined)
  if (results.length < specs.flat().length) return undefined
  const each = specs.map((list, at) => {
    const [Default, Greedy, Balanced, Adaptive] = results.slice(at * list.length, (at + 1) * list.length)
    return { Default, Greedy, Balanced, Adaptive }
  })
  return new Draws(each)
})

/** Returns for each draw the largest share of its run time that a single job saves under any algorithm. */
export const mostSavedByJob = Effect.fnUntraced(function* (of: Continuous, jobs: ReadonlyArray<Job>) {
  const { watch } = yield* Records
  const runTimes = new Map(jobs.map(({ id, runTime }) => [id, runTime]))
  return yield* Effect.forEach(
    of.drawn ?? seeds,
    Effect.fnUntraced(function* (seed) {
      let most = 0
      for (const algorithm of paper.ours)
        yield* watch(specOf(of, algorithm, seed), (record) => {
          // Estimates are exact, so the estimate of a job is its scaled run time.
          const before = record.type === 'submit' ? (runTimes.get(record.job) ?? 0) : 0
          if (record.type === 'submit' && before > 0) most = Math.max(most, 1 - (1000 * record.estimate!) / before)
        })
      return most
    }),
  )
})

/** Returns the share of the default's figure that algorithms save, as the mean over the algorithms and the draws. */
export function meanOver(algorithms: ReadonlyArray<paper.Algorithm>, draws: Draws, figure: Figure): number {
  return mean(algorithms.map((algorithm) => mean(draws.saved(figure, algorithm))))
}

/** Returns the mean of shares, with the least and the largest share, as a text in percent. */
export function spread(shares: ReadonlyArray<number>): string {
  return `${percent(mean(shares))} (${(100 * least(shares)).toFixed(1)} to ${(100 * most(shares)).toFixed(1)})`
}
