import type { TaggedProblem } from '@cloister/run'
import type { Job } from '@cloister/workload'
import { Context, Effect } from 'effect'

/** Job log of a paper, with the machine of the paper's runs. */
export interface PaperTrace {
  readonly name: string
  /**
   * Source of the jobs: `trace`, a value of `--trace`; `log`, a public log by its preset, with this filter alone;
   * `file`, a file to look for in the trace folder.
   */
  readonly source:
    | { readonly trace: string }
    | { readonly log: string; readonly filter: string }
    | { readonly file: string; readonly filter: string; readonly what: string }
  readonly arrivals: string
  readonly topology: string
}

/** Options by which a run reads a job log. */
export interface LocatedTrace {
  readonly trace: string
  readonly filter?: string | undefined
  readonly arrivals?: string | undefined
}

/** Service that finds and reads the job logs at hand. */
export class Traces extends Context.Service<
  Traces,
  {
    /** Returns a run's options for the log; undefined if the log is not at hand, which is reported once a log. */
    readonly locate: (
      trace: Pick<PaperTrace, 'name' | 'source' | 'arrivals'>,
    ) => Effect.Effect<LocatedTrace | undefined>
    /** Returns the path of a file in the trace folder; undefined if the folder has no file of the name. */
    readonly findFile: (name: string) => Effect.Effect<string | undefined>
    /** Returns the text of a file in the trace folder; undefined if the folder has no file of the name. */
    readonly readText: (name: string) => Effect.Effect<string | undefined>
    /** Returns the filtered jobs of a log. */
    readonly jobs: (trace: LocatedTrace) => Effect.Effect<ReadonlyArray<Job>, TaggedProblem>
  }
>()('@cloister/reproduce/Traces') {}

/** Returns the traces at hand, each with a run's options for it. */
export const locateAll = Effect.fnUntraced(function* <A extends Pick<PaperTrace, 'name' | 'source' | 'arrivals'>>(
  traces: ReadonlyArray<A>,
) {
  const { locate } = yield* Traces
  const found = yield* Effect.forEach(traces, (trace) =>
    Effect.map(locate(trace), (located) => (located === undefined ? [] : [{ ...trace, located }])),
  )
  return found.flat()
})
