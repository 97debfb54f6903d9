import { type Explanation, explain as explanationOf } from '@cloister/replay'
import { Effect, Option } from 'effect'
import { describeExplanation } from './explanation.ts'
import { RepeatedReading, concludeReading } from './log-reading.ts'
import { print, remark } from '../terminal/output.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { headerOf, repeatRun } from './repetition.ts'
import { NoJobError } from '../errors/errors.ts'
import { OptionError } from '@cloister/run'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'

export interface ExplainOptions {
  readonly log: string
  readonly job: string
  readonly policy: Option.Option<string>
  readonly limit: number
  readonly json: boolean
}

export const explainJob = Effect.fn(function* ({ log, job, policy, limit, json }: ExplainOptions) {
  if (limit < 1)
    return yield* new OptionError({ option: 'limit', reason: `found ${limit}, expected a whole number from 1` })
  const policies = yield* PolicyLookup
  const reading = new RepeatedReading(log)
  const header = yield* attempt(() => headerOf(reading))
  const found =
    header.refusals || header.origin !== 'simulated'
      ? undefined
      : yield* Option.match(policy, { onNone: () => policies.findOfLog(header.policy.name), onSome: policies.find })
  if (found !== undefined && found.policy.name !== header.policy.name) {
    return yield* new OptionError({
      option: 'policy',
      reason: `found ${found.policy.name}, expected ${header.policy.name}, the policy of the log`,
    })
  }
  const repetition = found && (yield* repeatRun(reading, header, found, job))
  const explanation = yield* attempt(() => explanationOf(() => reading.records(), job, repetition))
  if (explanation === undefined) return yield* new NoJobError({ path: log, job })
  const differsFrom = repetition?.difference?.seq ?? null
  const result: Result = { ...explanation, differsFrom }
  yield* print(json, result, () => describeExplanation(explanation, limit))
  if (differsFrom !== null) {
    yield* remark(
      `from record ${differsFrom} on ${header.policy.name} decides otherwise here than in the log (cloister rerun shows it): why the job did not start is known until then only`,
    )
    return yield* new ExitWith(exitCodes.notWhole)
  }
  yield* concludeReading([{ path: log, outcome: reading.outcome }])
})

interface Result extends Explanation {
  /** The record from which on the policy decides otherwise than in the log, so that no reasons are known. */
  readonly differsFrom: number | null
}
