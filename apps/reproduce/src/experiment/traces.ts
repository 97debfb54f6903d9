import type { TaggedProblem } from '@cloister/run'
import type { Job } from '@cloister/workload'
import { Context, Effect } from 'effect'

/** Job log of an experiment, with the arrivals and the machine of our runs. */
export interface PaperTrace {
  readonly name: string
  /**
   * Source of the jobs. `trace`: a value of `simulate --trace`. `log`: the preset of a public log, with `filter`
   * instead of the preset's filter. `file`: the name of a file in the trace folder; `what` describes the file for
   * users.
   */
  readonly source:
    | { readonly trace: string }
    | { readonly log: string; readonly filter: string }
    | { readonly file: string; readonly filter: string; readonly what: string }
  readonly arrivals: string
  readonly topology: string
}

/** Values of the run options `trace`, `filter` and `arrivals` for a job log. */
export interface LocatedTrace {
  readonly trace: string
  readonly filter?: string | undefined
  readonly arrivals?: string | undefined
}

/** Service that finds and reads the job logs at hand. */
export class Traces extends Context.Service<
  Traces,
  {
    /** Returns a run's options for a job log. If the log is not at hand, reports this once, and returns undefined. */
    readonly locate: (
      trace: Pick<PaperTrace, 'name' | 'source' | 'arrivals'>,
    ) => Effect.Effect<LocatedTrace | undefined>
    /** Returns the path of a file in the trace folder; undefined if the trace folder has no file with this name. */
    readonly findFile: (name: string) => Effect.Effect<string | undefined>
    /** Returns the text of a file in the trace folder; undefined if the trace folder has no file with this name. */
    readonly readText: (name: string) => Effect.Effect<string | undefined>
    /** Returns the jobs that the filter of a job log keeps, in submit order. */
    readonly jobs: (trace: LocatedTrace) => Effect.Effect<ReadonlyArray<Job>, TaggedProblem>
  }
>()('@cloister/reproduce/Traces') {}

/** Returns the job logs at hand, each with the options of a run for the log. */
export const locateAll = Effect.fnUntraced(function* <A extends Pick<PaperTrace, 'name' | 'source' | 'arrivals'>>(
  traces: ReadonlyArray<A>,
) {
  const { locate } = yield* Traces
  const found = yield* Effect.forEach(traces, (trace) =>
    Effect.map(locate(trace), (located) => (located === undefined ? [] : [{ ...trace, located }])),
  )
  return found.flat()
})
