import { prepare, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { runInputs } from './inputs.ts'
import { remarkOnRun } from './remarks.ts'

/** Finds and checks what a description names, and says what a reader of the results should know. */
export const prepareRun = Effect.fnUntraced(function* (spec: RunSpec, traceDir: string | undefined) {
  const run = yield* prepare(spec).pipe(Effect.provide(runInputs(traceDir)))
  yield* remarkOnRun(run)
  return run
})
