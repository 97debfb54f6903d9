import { Effect } from 'effect'
import type { QueueOptions } from '@cloister/kernel'
import type { GivenSpec } from '@cloister/run'
import { ratio } from '../report/numbers.ts'
import { locateAll, type LocatedTrace, type PaperTrace, type RunResult, Runs } from './services.ts'

/** Scheduling scheme: its name in the paper, and in `spec` the policy and the options of our runs. */
export interface Scheme {
  readonly name: string
  readonly spec: Pick<
    GivenSpec,
    | 'policy'
    | 'estimates'
    | 'order'
    | 'bandwidth'
    | 'communication'
    | 'runTimes'
    | 'router'
    | 'migrate'
    | Exclude<keyof QueueOptions, 'queue'>
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

/** Job log at hand, with the machine of its runs. */
export type OnMachine = Pick<PaperTrace, 'name' | 'topology'> & { readonly located: LocatedTrace }

export function plan(
  { name, topology, located }: OnMachine,
  queue: string,
  scheme: Scheme,
  scenario: Scenario = { name: 'None', scenario: 'none' },
): Planned {
  return {
    trace: name,
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

/** Returns a planned run with other options. */
export function changed(planned: Planned, spec: Partial<GivenSpec>): Planned {
  return { ...planned, spec: { ...planned.spec, ...spec } }
}

/** Returns a planned run without the first `jobs` jobs of its trace. */
export function withoutFirst(planned: Planned, jobs: number): Planned {
  return jobs === 0 ? planned : changed(planned, { resample: `drop-first:${jobs}` })
}

/** Returns the traces or schemes of a list with the given names, in the order of the list. */
export function named<A extends { readonly name: string }>(
  list: ReadonlyArray<A>,
  ...names: ReadonlyArray<string>
): ReadonlyArray<A> {
  return list.filter(({ name }) => names.includes(name))
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

  /** Returns the figure `of` a run; undefined if the run or the figure is missing. */
  value(of: Figure, trace: string, scheme: string, scenario?: string): number | undefined {
    const result = this.get(trace, scheme, scenario)
    return result === undefined ? undefined : (of(result) ?? undefined)
  }

  /** Returns the known figures of a scheme's runs on several traces. */
  values(of: Figure, traces: ReadonlyArray<string>, scheme: string): ReadonlyArray<number> {
    return traces.flatMap((trace) => this.value(of, trace, scheme) ?? [])
  }

  /**
   * Returns the figure `of` a run over the figure under the scheme `to` on the same trace without a scenario; undefined
   * if a figure is missing or the divisor is 0.
   */
  ratio(of: Figure, trace: string, scheme: string, scenario: string, to: string): number | undefined {
    return ratio(this.value(of, trace, scheme, scenario), this.value(of, trace, to))
  }
}

/** Returns a figure of a run. */
export type Figure = (result: RunResult) => number | null | undefined

/** Utilization in steady state, as a share. */
export const steady: Figure = ({ metrics }) => metrics.utilization.steady
export const makespan: Figure = ({ metrics }) => metrics.makespan
/** Mean time from submit to end, in seconds. */
export const turnaround: Figure = ({ metrics }) => metrics.turnaround.mean

function nameOf(trace: string, scheme: string, scenario: string): string {
  return JSON.stringify([trace, scheme, scenario])
}

export const runAll = Effect.fnUntraced(function* (planned: ReadonlyArray<Planned>) {
  const { run } = yield* Runs
  return new Outcomes(planned, yield* run(planned.map(({ spec }) => spec)))
})

/** Runs all planned runs of each trace at hand. `names` has the names of these traces. */
export const runOn = Effect.fnUntraced(function* <A extends PaperTrace>(
  traces: ReadonlyArray<A>,
  plannedOn: (trace: A & { readonly located: LocatedTrace }) => ReadonlyArray<Planned>,
) {
  const located = yield* locateAll(traces)
  return { outcomes: yield* runAll(located.flatMap(plannedOn)), names: located.map(({ name }) => name) }
})
