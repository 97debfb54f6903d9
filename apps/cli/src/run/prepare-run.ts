import { prepare, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { runInputs } from './inputs.ts'
import { remarkOnRun } from './remarks.ts'

/** Finds and checks the inputs of a run, and prints remarks for readers of the results. */
export const prepareRun = Effect.fnUntraced(function* (spec: RunSpec, traceDir: string | undefined) {
  const run = yield* prepare(spec).pipe(Effect.provide(runInputs(traceDir)))
  yield* remarkOnRun(run)
  return run
})
