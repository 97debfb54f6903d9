import type { Job } from '@cloister/workload'
import { Effect } from 'effect'
import { type LocatedTrace, locateAll, Traces } from '../experiment/traces.ts'
import { percent } from '../report/quantities.ts'
import { least, mean, most } from '../report/statistics.ts'
import * as paper from './paper.ts'
import type { Reading } from './reading.ts'
import { MishraRuns, type Outcome } from './runs.ts'

/** Seeds of the draws of the jobs that communicate. */
export const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
export const drawn = `${seeds.length} draws`

/** Functions that return a figure of a run's outcome. */
export const figures = {
  execution: ({ execution }: Outcome): number => execution,
  wait: ({ wait }: Outcome): number => wait,
  turnaround: ({ execution, wait }: Outcome): number => execution + wait,
  nodeHours: ({ nodeHours }: Outcome): number => nodeHours,
  makespan: ({ makespan }: Outcome): number => makespan,
}
export type Figure = keyof typeof figures

/** Job log at hand, with its jobs. */
export interface LogAtHand {
  readonly log: paper.Log
  readonly jobs: ReadonlyArray<Job>
}

export const logsAtHand = Effect.gen(function* () {
  const traces = yield* Traces
  const located = yield* locateAll(paper.logs)
  return yield* Effect.forEach(located, ({ located: at, ...log }: paper.Log & { readonly located: LocatedTrace }) =>
    Effect.map(traces.jobs(at), (jobs): LogAtHand => ({ log, jobs })),
  )
})

/** Continuous runs of the same jobs under every algorithm, one run for each draw of the communicating jobs. */
export class Draws {
  readonly #outcomes: ReadonlyArray<Readonly<Record<paper.Algorithm, Outcome>>>

  constructor(
    jobs: ReadonlyArray<Job>,
    reading: Reading,
    mix: paper.Mix,
    communicating: number = paper.communicating,
    of: ReadonlyArray<number> = seeds,
  ) {
    const runs = new MishraRuns(reading, mix)
    this.#outcomes = of.map((seed) => runs.continuous(jobs, communicating, seed))
  }

  /** Returns the mean of an algorithm's figure over the draws of the communicating jobs. */
  value(figure: Figure, algorithm: paper.Algorithm): number {
    return mean(this.#outcomes.map((each) => figures[figure](each[algorithm])))
  }

  /** Returns for each draw the share of the default's figure that an algorithm saves; 0 if the default has 0. */
  saved(figure: Figure, algorithm: paper.Algorithm): ReadonlyArray<number> {
    return this.#outcomes.map((each) => {
      const byDefault = figures[figure](each.Default)
      return byDefault === 0 ? 0 : 1 - figures[figure](each[algorithm]) / byDefault
    })
  }

  /** Returns for each draw the largest share of run time that a single job saves under any algorithm. */
  mostSavedByJob(): ReadonlyArray<number> {
    return this.#outcomes.map((each) => most(paper.ours.flatMap((algorithm) => [...each[algorithm].saved.values()])))
  }
}

/** Returns the share of the default's figure that algorithms save, as the mean over the algorithms and the draws. */
export function meanOver(algorithms: ReadonlyArray<paper.Algorithm>, draws: Draws, figure: Figure): number {
  return mean(algorithms.map((algorithm) => mean(draws.saved(figure, algorithm))))
}

/** Returns the mean of shares, with the least and the largest share, as a text in percent. */
export function spread(shares: ReadonlyArray<number>): string {
  return `${percent(mean(shares))} (${(100 * least(shares)).toFixed(1)} to ${(100 * most(shares)).toFixed(1)})`
}
