import { prepare, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { runInputs } from './inputs.ts'
import { remarkOnRun } from './remarks.ts'

/** Loads and checks the inputs of a run, and prints remarks on the inputs for readers of the results. */
export const prepareRun = Effect.fnUntraced(function* (spec: RunSpec, traceDir: string | undefined) {
  const run = yield* prepare(spec).pipe(Effect.provide(runInputs(traceDir)))
  yield* remarkOnRun(run)
  return run
})
