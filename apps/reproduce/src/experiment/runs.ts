import type { LogRecord, Totals } from '@cloister/eventlog'
import type { Metrics } from '@cloister/metrics'
import { Context, type Effect, type Schema } from 'effect'
import type { ExperimentError } from './experiment-error.ts'
import type { LocatedTrace } from './traces.ts'

/** A run, as an experiment's file describes it: what is left out is as `simulate` has it by default. */
export interface RunSpec extends LocatedTrace {
  readonly topology: string
  readonly policy: string | { readonly name: string; readonly config: { readonly [key: string]: Schema.Json } }
  readonly queue: string
  readonly estimates?: 'exact' | 'requested'
  // The former name, until every runner knows the new one.
  readonly walltime?: 'exact' | 'trace'
  readonly scenario?: string
  readonly bandwidth?: 'none' | 'classes'
  readonly communication?: string
  readonly runTimes?: 'fixed' | 'communication'
}

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
      specs: ReadonlyArray<RunSpec>,
    ) => Effect.Effect<ReadonlyArray<RunResult | undefined>, ExperimentError>
    /** Shows every record of a run's log. */
    readonly watch: (spec: RunSpec, visit: (record: LogRecord) => void) => Effect.Effect<void, ExperimentError>
    /** Seconds in the scheduler for each job, without a log: the median of runs in processes of their own, one after the other. */
    readonly time: (spec: RunSpec) => Effect.Effect<number, ExperimentError>
  }
>()('@cloister/reproduce/Runs') {}
