import { type Explanation, explain as explanationOf } from '@cloister/replay'
import { Effect, Option } from 'effect'
import { describeExplanation } from './explanation.ts'
import { RepeatedReading, concludeReading, remarkOnPart } from './log-reading.ts'
import { print, remark } from '../terminal/output.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { askedAtMost } from './asked-at-most.ts'
import { giveMatrices } from './matrices-of-log.ts'
import { headerOf, repeatWithReasons } from './repetition.ts'
import { NoJobError, OptionConflictError } from '../errors/errors.ts'
import { OptionError } from '@cloister/run'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'

export interface ExplainOptions {
  readonly log: string
  readonly job: string
  readonly policy: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly matrices: Option.Option<string>
  readonly maxQuestions: Option.Option<number>
  readonly json: boolean
}

export const explainJob = Effect.fn(function* ({
  log,
  job,
  policy,
  limit,
  matrices,
  maxQuestions,
  json,
}: ExplainOptions) {
  const shown = yield* rowsShown(limit, json)
  const policies = yield* PolicyLookup
  const reading = new RepeatedReading(log)
  const header = yield* attempt(() => headerOf(reading))
  const ofPart = remarkOnPart(log, header)
  const hasRefusals = header.options.refusals === true
  const hasReasons = hasRefusals || header.origin !== 'simulated' || header.part !== undefined
  if (hasReasons && Option.isSome(policy))
    return yield* new OptionConflictError({
      options: ['--policy'],
      reason: `is not needed: ${hasRefusals ? 'the log has the reasons of the policy' : 'the policy runs again only for the log of a whole simulation; this log is of a real machine, or a part of a run'}`,
    })
  if (hasReasons && Option.isSome(maxQuestions))
    return yield* new OptionConflictError({
      options: ['--max-questions'],
      reason: 'is not needed: no policy gets requests about this log',
    })
  if (hasReasons && Option.isSome(matrices))
    return yield* new OptionConflictError({
      options: ['--matrices'],
      reason: 'is not needed: no policy gets requests about this log',
    })
  if (!hasReasons) yield* giveMatrices(reading, header, matrices)
  const asked = yield* askedAtMost(maxQuestions)
  const found = hasReasons
    ? undefined
    : yield* Option.match(policy, { onNone: () => policies.findOfLog(header.policy.name), onSome: policies.find })
  if (found !== undefined && found.policy.name !== header.policy.name) {
    return yield* new OptionError({
      option: 'policy',
      reason: `found ${found.policy.name}, expected ${header.policy.name}, the policy of the log`,
    })
  }
  const repetition = found && (yield* repeatWithReasons(reading, header, found, job, asked))
  const explanation = yield* attempt(() => explanationOf(() => reading.records(), job, repetition?.reasons))
  if (explanation === undefined) return yield* new NoJobError({ path: log, job })
  if (ofPart !== undefined) yield* remark(`${ofPart}; the log has no earlier events`)
  const differsFrom = repetition?.difference?.seq ?? null
  const compared = repetition?.reasons.compared ?? Infinity
  const reasonsUntil = Number.isFinite(compared) ? compared : null
  const result: Result = { ...explanation, differsFrom, reasonsUntil }
  yield* print(json, result, () => describeExplanation(explanation, shown))
  if (reasonsUntil !== null) {
    yield* remark(
      differsFrom === null
        ? `${header.policy.name} decides as in the log, but answers differently from record ${reasonsUntil} on after the further requests for reasons; the reasons why the job did not start are known before record ${reasonsUntil} only`
        : `${header.policy.name} decides differently from the log at record ${differsFrom} (cloister rerun shows the difference); the reasons why the job did not start are known before record ${reasonsUntil} only`,
    )
    return yield* new ExitWith(exitCodes.notWhole)
  }
  yield* concludeReading([{ path: log, outcome: reading.outcome }])
})

const rowsShown = Effect.fnUntraced(function* (limit: Option.Option<number>, json: boolean) {
  const rows = Option.getOrElse(limit, () => 20)
  if (rows < 1)
    return yield* new OptionError({ option: 'limit', reason: `found ${rows}, expected a whole number from 1` })
  if (json && Option.isSome(limit))
    return yield* new OptionConflictError({
      options: ['--limit'],
      reason: 'cannot be used with --json, which prints all rows',
    })
  return rows
})

interface Result extends Explanation {
  /** Number of the first record at which the policy decides differently in a rerun, or null without a difference. */
  readonly differsFrom: number | null
  /** Number of the first record from which the reasons of the policy are unknown. Null if all reasons are known. */
  readonly reasonsUntil: number | null
}
