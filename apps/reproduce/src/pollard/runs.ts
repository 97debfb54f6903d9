import { Effect } from 'effect'
import { type Outcomes, plan, runAll } from '../experiment/outcomes.ts'
import type { RunResult } from '../experiment/runs.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from './paper.ts'

/** Way to run a workload: under TO (topology-oblivious), or under TA (topology-aware) with the named speed-up. */
export type Way = 'TO' | (typeof paper.speedups)[number]['name']
export const ways: ReadonlyArray<Way> = ['TO', ...paper.speedups.map(({ name }) => name)]

/** Runs of all workloads at hand, for Table I and Figures 8 to 10 of the Pollard paper. */
export class PollardRuns {
  /** Names of the workloads that were run. */
  readonly names: ReadonlyArray<string>
  readonly #outcomes: Outcomes

  constructor(names: ReadonlyArray<string>, outcomes: Outcomes) {
    this.names = names
    this.#outcomes = outcomes
  }

  get(workload: string, way: Way): RunResult | undefined {
    return way === 'TO' ? this.#outcomes.get(workload, 'TO') : this.#outcomes.get(workload, 'TA', way)
  }

  /** Returns the mean wait of a workload's jobs in hours, like `makespan`; undefined if the run is missing. */
  wait(workload: string, way: Way): number | undefined {
    return known(this.get(workload, way)?.metrics.wait.mean, 3600)
  }
  makespan(workload: string, way: Way): number | undefined {
    return known(this.get(workload, way)?.metrics.makespan, 3600)
  }
  /** Returns the median of a run's utilization over all minutes; undefined if the run is missing. */
  utilization(workload: string, way: Way): number | undefined {
    return known(this.get(workload, way)?.metrics.utilization.perMinute?.median, 1)
  }

  /** Returns true if a workload overloads its machine: the mean wait under TO is over an hour. */
  isOverloaded(workload: string): boolean {
    return (this.wait(workload, 'TO') ?? 0) > 1
  }
}

export const runWorkloads = Effect.gen(function* () {
  const located = yield* locateWorkloads
  const planned = located.flatMap((trace) => [
    plan({ ...trace, queue: paper.queue }, paper.oblivious),
    ...paper.speedups.map((each) => plan({ ...trace, queue: paper.queue }, paper.aware, each)),
  ])
  return new PollardRuns(
    located.map(({ name }) => name),
    yield* runAll(planned),
  )
})

/** Locates the workloads at hand: workloads of the Pollard paper, and public logs that stand in for them. */
export const locateWorkloads = locateAll([...paper.workloads, ...paper.standIns])

function known(value: number | null | undefined, unit: number): number | undefined {
  return value === null || value === undefined ? undefined : value / unit
}
