import type { LogRecord, Totals } from '@cloister/eventlog'
import type { Metrics } from '@cloister/metrics'
import type { GivenSpec, TaggedProblem } from '@cloister/run'
import { Context, type Effect } from 'effect'

/** What is known of a run. */
export interface RunResult {
  readonly totals: Totals
  readonly metrics: Metrics
  /** How often the policy gave up a search. */
  readonly searchBounds: number
  /** Samples of instantaneous utilisation until the last start, at 0, 1, …, 100 % (rounded). */
  readonly instantaneousPercents: ReadonlyArray<number>
}

/** Whoever runs the experiments. */
export class Runs extends Context.Service<
  Runs,
  {
    /** A result for each of the runs, in their order; undefined for those that could not run. */
    readonly run: (
      specs: ReadonlyArray<GivenSpec>,
    ) => Effect.Effect<ReadonlyArray<RunResult | undefined>, TaggedProblem>
    /** Shows every record of a run's log. */
    readonly watch: (spec: GivenSpec, visit: (record: LogRecord) => void) => Effect.Effect<void, TaggedProblem>
    /** Seconds in the scheduler for each job, without a log: the median of runs in processes of their own, one after the other. */
    readonly time: (spec: GivenSpec) => Effect.Effect<number, TaggedProblem>
  }
>()('@cloister/reproduce/Runs') {}
