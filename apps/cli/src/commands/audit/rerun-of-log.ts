import { makeJobsAgain, withRerun } from '@cloister/evidence'
import { OrderFaultError } from '@cloister/kernel'
import { NotSimulatedError } from '@cloister/replay'
import { attempt } from '@cloister/run'
import { Effect, Option } from 'effect'
import { headerOf, type RepeatedReading } from '../../log/log-reading.ts'
import { giveMatrices } from '../../log/matrices.ts'
import { askedAtMost, findPolicyOfLog, orderOfLog, repeatRun, routerOfLog } from '../../log/repetition.ts'
import { policiesOfLogs, runInputs } from '../../run/inputs.ts'

/** Options of a command that runs the policy of a log again. */
type RerunOptions = Readonly<
  Record<'trace' | 'traceDir' | 'policy' | 'router' | 'order' | 'matrices', Option.Option<string>> & {
    maxQuestions: Option.Option<number>
  }
>

/** Adds the tests of `--rerun` to a report: runs the policy of the log again, and compares decisions, claims and jobs. */
export const withRerunOf = Effect.fnUntraced(function* (
  report: Parameters<typeof withRerun>[0],
  reading: RepeatedReading,
  { trace, traceDir, policy, router, order, matrices, maxQuestions }: RerunOptions,
) {
  const header = yield* attempt(() => headerOf(reading))
  yield* giveMatrices(reading, header, matrices)
  const asked = {
    ...(yield* askedAtMost(maxQuestions)),
    ...(yield* routerOfLog(header, router)),
    ...(yield* orderOfLog(header, order)),
  }
  const found = yield* findPolicyOfLog(header, policy)
  const repeated = yield* repeatRun(reading, header, found, asked).pipe(
    Effect.catchIf(
      // An order without faults fails on forged inputs, such as jobs without turns.
      (error) => error instanceof NotSimulatedError || error instanceof OrderFaultError,
      ({ message }) => Effect.succeed(message),
    ),
  )
  const jobsAgain = makeJobsAgain(header, Option.getOrUndefined(trace), Option.getOrUndefined(matrices), found).pipe(
    Effect.provide(policiesOfLogs),
  )
  return yield* Effect.flatMap(jobsAgain, (jobs) =>
    withRerun(report, { header, records: () => reading.records() }, found, repeated, jobs),
  ).pipe(Effect.provide(runInputs(Option.getOrUndefined(traceDir))))
})
