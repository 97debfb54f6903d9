import { prepare, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { runInputs } from './inputs.ts'
import { remarkOnRun } from './remarks.ts'
import type { GivenOptions } from './run-flags.ts'
import { specOfFlags } from './spec-of-flags.ts'

/** Finds and checks what a description names, and says what a reader of the results should know. */
export const prepareRun = Effect.fnUntraced(function* (spec: RunSpec, traceDir: string | undefined) {
  const run = yield* prepare(spec).pipe(Effect.provide(runInputs(traceDir)))
  yield* remarkOnRun(run)
  return run
})

/** The same for the flags of a command line. */
export const prepareFlags = Effect.fnUntraced(function* (flags: GivenOptions, traceDir: string | undefined) {
  const spec = yield* specOfFlags(flags).pipe(Effect.provide(runInputs(traceDir)))
  return yield* prepareRun(spec, traceDir)
})
