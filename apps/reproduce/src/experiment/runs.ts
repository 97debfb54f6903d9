import type { LogRecord, Totals } from '@cloister/eventlog'
import type { Metrics } from '@cloister/metrics'
import type { GivenSpec, TaggedProblem } from '@cloister/run'
import { Context, type Effect } from 'effect'

/** Result of a simulated run. */
export interface RunResult {
  readonly totals: Totals
  readonly metrics: Metrics
  /** Number of placement searches that the policy gave up at its bound on steps. */
  readonly searchBounds: number
  /** Numbers of samples by instantaneous utilization, 0 to 100 % (rounded), until the last start of a job. */
  readonly instantaneousPercents: ReadonlyArray<number>
}

/** Service that runs simulations for experiments. */
export class Runs extends Context.Service<
  Runs,
  {
    /** Returns a result for each run, in the order of `specs`; undefined for a run that failed. */
    readonly run: (
      specs: ReadonlyArray<GivenSpec>,
    ) => Effect.Effect<ReadonlyArray<RunResult | undefined>, TaggedProblem>
    /** Calls `visit` with every record of a run's log. */
    readonly watch: (spec: GivenSpec, visit: (record: LogRecord) => void) => Effect.Effect<void, TaggedProblem>
    /** Returns the median time in the scheduler per job, in seconds, over runs without logs in separate processes. */
    readonly time: (spec: GivenSpec) => Effect.Effect<number, TaggedProblem>
  }
>()('@cloister/reproduce/Runs') {}
