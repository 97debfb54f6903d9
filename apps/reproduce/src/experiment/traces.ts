import type { TaggedProblem } from '@cloister/run'
import type { Job } from '@cloister/workload'
import { Context, Effect } from 'effect'

/** A job log of a paper, and the machine that the paper runs it on. */
export interface PaperTrace {
  readonly name: string
  /** What `--trace` takes; a public log by its preset, but with this filter alone; or the file to look for in the trace folder. */
  readonly source:
    | { readonly trace: string }
    | { readonly log: string; readonly filter: string }
    | { readonly file: string; readonly filter: string; readonly what: string }
  readonly arrivals: string
  readonly topology: string
}

/** What a run takes to read a job log. */
export interface LocatedTrace {
  readonly trace: string
  readonly filter?: string | undefined
  readonly arrivals?: string | undefined
}

/** The job logs at hand. */
export class Traces extends Context.Service<
  Traces,
  {
    /** How a run names the log; undefined, and said once, where it is not at hand. */
    readonly locate: (
      trace: Pick<PaperTrace, 'name' | 'source' | 'arrivals'>,
    ) => Effect.Effect<LocatedTrace | undefined>
    /** The path of a file in the trace folder; undefined where there is none. */
    readonly findFile: (name: string) => Effect.Effect<string | undefined>
    /** What a file in the trace folder says; undefined where there is none. */
    readonly readText: (name: string) => Effect.Effect<string | undefined>
    /** The jobs of a log, filtered. */
    readonly jobs: (trace: LocatedTrace) => Effect.Effect<ReadonlyArray<Job>, TaggedProblem>
  }
>()('@cloister/reproduce/Traces') {}

/** Those of the traces that are at hand. */
export const locateAll = Effect.fnUntraced(function* <A extends Pick<PaperTrace, 'name' | 'source' | 'arrivals'>>(
  traces: ReadonlyArray<A>,
) {
  const { locate } = yield* Traces
  const found = yield* Effect.forEach(traces, (trace) =>
    Effect.map(locate(trace), (located) => (located === undefined ? [] : [{ ...trace, located }])),
  )
  return found.flat()
})
