import type { Summary } from '@cloister/kernel'
import * as Effect from 'effect/Effect'
import { attempt, type TaggedProblem } from './errors.ts'
import { record, type Watching } from './execute.ts'
import { prepare } from './prepare.ts'
import { type Hash, type Policies, RunFiles, type Traces } from './services.ts'
import type { GivenSpec } from './given-spec.ts'

/** Sink of the log, and the settings of `Watching`. */
export interface RunTo extends Watching {
  /** Receives the bytes of the log during the run. */
  readonly sink: (chunk: Uint8Array) => void
}

/**
 * Simulates the run of a description, from loading the jobs to the last byte of the log.
 *
 * ```ts
 * const log: Array<Uint8Array> = []
 * const given = { trace: 'synth:16', topology: 'radix:16', policy: 'jigsaw' }
 * const program = run(given, { sink: (chunk) => log.push(chunk) })
 * const { totals } = await Effect.runPromise(program.pipe(Effect.provide(nodeServices({ policies: [jigsaw] }))))
 * ```
 */
export function run(
  given: GivenSpec,
  { sink, ...watching }: RunTo,
): Effect.Effect<Summary, TaggedProblem, RunFiles | Traces | Policies | Hash> {
  return Effect.gen(function* () {
    const prepared = yield* prepare(given)
    return yield* attempt(() => record(prepared, sink, watching))
  })
}
