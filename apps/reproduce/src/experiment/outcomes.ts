import { Effect } from 'effect'
import { ratio } from '../report/statistics.ts'
import type { QueueOptions } from '@cloister/kernel'
import type { GivenSpec } from '@cloister/run'
import { type RunResult, Runs } from './runs.ts'
import type { LocatedTrace } from './traces.ts'

/** Scheduling scheme: its name in the paper, and in `spec` the policy and the options of our runs. */
export interface Scheme {
  readonly name: string
  readonly spec: Pick<
    GivenSpec,
    'policy' | 'estimates' | 'bandwidth' | 'communication' | 'runTimes' | Exclude<keyof QueueOptions, 'queue'>
  >
}

/** Assumption on how much sooner isolated jobs end: its name in the paper, and the value of `simulate --scenario`. */
export interface Scenario {
  readonly name: string
  readonly scenario: string
}

/** Planned run, with the paper's names of the run's trace, scheme and scenario. */
export interface Planned {
  readonly trace: string
  readonly scheme: string
  readonly scenario: string
  readonly spec: GivenSpec
}

export function plan(
  trace: { readonly name: string; readonly topology: string; readonly queue: string; readonly located: LocatedTrace },
  scheme: Scheme,
  scenario: Scenario = { name: 'None', scenario: 'none' },
): Planned {
  const { topology, queue, located } = trace
  return {
    trace: trace.name,
    scheme: scheme.name,
    scenario: scenario.name,
    // Schedulers in the papers' simulations know run times exactly, unless the scheme's `spec` has other estimates.
    // Results depend little on the option `reservation`: experiments/jigsaw.md compares `fixed` with `movable`.
    spec: {
      ...located,
      estimates: 'exact',
      reservation: 'fixed',
      overrun: 'run-on',
      ...scheme.spec,
      topology,
      queue,
      scenario: scenario.scenario,
    },
  }
}

/** Results of planned runs, by the paper's names of trace, scheme and scenario. */
export class Outcomes {
  readonly #results: ReadonlyMap<string, RunResult>

  /** @param results a result for each planned run, in the same order; undefined if the run failed */
  constructor(planned: ReadonlyArray<Planned>, results: ReadonlyArray<RunResult | undefined>) {
    this.#results = new Map(
      planned.flatMap(({ trace, scheme, scenario }, at) => {
        const result = results[at]
        return result === undefined ? [] : [[nameOf(trace, scheme, scenario), result] as const]
      }),
    )
  }

  get(trace: string, scheme: string, scenario: string = 'None'): RunResult | undefined {
    return this.#results.get(nameOf(trace, scheme, scenario))
  }

  /**
   * Returns the figure `of` a run over the figure under the scheme `to` on the same trace without a scenario; undefined
   * if a figure is missing or the divisor is 0.
   */
  ratio(
    of: (result: RunResult) => number | null,
    trace: string,
    scheme: string,
    scenario: string,
    to: string,
  ): number | undefined {
    const [found, base] = [this.get(trace, scheme, scenario), this.get(trace, to)].map((result) =>
      result === undefined ? undefined : (of(result) ?? undefined),
    )
    return ratio(found, base)
  }
}

function nameOf(trace: string, scheme: string, scenario: string): string {
  return JSON.stringify([trace, scheme, scenario])
}

export const runAll = Effect.fnUntraced(function* (planned: ReadonlyArray<Planned>) {
  const { run } = yield* Runs
  return new Outcomes(planned, yield* run(planned.map(({ spec }) => spec)))
})
