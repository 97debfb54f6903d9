import { isDeepStrictEqual } from 'node:util'
import { runTimesOfLog } from './run-times-of-log.ts'
import { type Header, type LogRecord, encodeRecord, headerTopology } from '@cloister/eventlog'
import type { Difference } from '@cloister/replay'
import { Effect, Option } from 'effect'
import { RepeatedReading, concludeReading } from './log-reading.ts'
import { describeOtherDecisions, otherDecisionsOf } from './other-decisions.ts'
import { describeOutcomeOf } from './placement-outcome.ts'
import { print, visibleOnOneLine } from '../terminal/output.ts'
import { blamePolicy, type FoundPolicy } from '@cloister/run'
import { policiesOfLogs } from '../run/inputs.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { count } from '../terminal/quantities.ts'
import { headerOf, repeatRun } from './repetition.ts'
import { fields } from '../terminal/table.ts'
import { OptionConflictError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'
import { bind } from '@cloister/run'

export interface RerunOptions {
  readonly log: string
  readonly policy: Option.Option<string>
  readonly policyConfig: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly json: boolean
}

/** Other decisions that are shown where nothing is said. */
const LIMIT = 20

export const rerunLog = Effect.fn(function* ({ log, policy, policyConfig, limit, json }: RerunOptions) {
  const policies = yield* PolicyLookup
  const reading = new RepeatedReading(log)
  const header = yield* attempt(() => headerOf(reading))
  const found = yield* Option.match(policy, {
    onNone: () => policies.findOfLog(header.policy.name),
    onSome: policies.find,
  })
  const given = yield* attempt(() => Option.map(policyConfig, (text) => parseJson('policy-config', text)))
  const other = yield* otherPolicy(header, found, given, Option.isSome(policy))
  if (other !== undefined) {
    const runTimes = yield* runTimesOfLog(header, headerTopology(header)).pipe(Effect.provide(policiesOfLogs))
    const shown = Option.getOrElse(limit, () => LIMIT)
    const decisions = yield* attempt(() =>
      blamePolicy(found, 'place', () => otherDecisionsOf(reading, other, runTimes, shown)),
    )
    yield* print(json, decisions, () => describeOtherDecisions(header, decisions))
    return yield* concludeReading([{ path: log, outcome: reading.outcome }])
  }
  if (Option.isSome(limit))
    return yield* new OptionConflictError({
      options: ['--limit'],
      reason: "is for another policy's decisions; the log's own policy runs again up to the first difference",
    })
  yield* repeat(reading, header, { log, found, json })
})

/**
 * The policy to be asked about every decision, where that is another one than the log's: of another name, or another
 * configuration, or, where it was asked for by name, another version. Undefined for the log's own.
 */
const otherPolicy = Effect.fnUntraced(function* (
  header: Header,
  found: FoundPolicy,
  given: Option.Option<unknown>,
  isNamed: boolean,
) {
  const { name, version, config } = header.policy
  const isOfLog = found.policy.name === name
  if (isOfLog && Option.isNone(given) && !(isNamed && found.policy.version !== version)) return undefined
  const asked = Option.getOrElse(given, () => (isOfLog ? config : {}))
  const bound = yield* bind(found, headerTopology(header), asked)
  const isSame = isOfLog && found.policy.version === version && isDeepStrictEqual(asJson(bound.config), config)
  return isSame ? undefined : bound
})

/** As a log's header has it. */
function asJson(config: unknown): unknown {
  return JSON.parse(JSON.stringify(config))
}

/** Runs the log's own policy again, up to the first difference. */
const repeat = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  { log, found, json }: { readonly log: string; readonly found: FoundPolicy; readonly json: boolean },
) {
  const { compared, difference } = yield* repeatRun(reading, header, found)
  const policyOfLog = `${header.policy.name}@${header.policy.version}`
  const result = {
    policy: policyOfLog,
    equal: difference === undefined,
    compared,
    difference: difference === undefined ? null : summary(difference),
  }
  yield* print(json, result, () =>
    difference === undefined
      ? `equal: ${visibleOnOneLine(policyOfLog)} decides all ${count(compared)} records again as they are recorded`
      : describe(difference),
  )
  if (difference !== undefined) return yield* new ExitWith(exitCodes.no)
  yield* concludeReading([{ path: log, outcome: reading.outcome }])
})

function summary({ seq, recorded, repeated, before, answers }: Difference) {
  return {
    seq,
    recorded,
    repeated: repeated ?? null,
    /** The state before that record. */
    state: {
      t: before.t,
      freeNodes: before.freeNodes.size,
      running: before.running.size,
      waiting: before.waiting.size,
      reservations: [...before.reservations.values()].map(({ job, start, nodes }) => ({ job, start, nodes })),
    },
    answers: answers.map(({ job, outcome }) => ({ job, answer: describeOutcomeOf(outcome) })),
  }
}

function describe(difference: Difference): string {
  const { seq, state, answers } = summary(difference)
  const line = (record: LogRecord | undefined): string =>
    record === undefined ? 'nothing: it has ended' : encodeRecord(record)
  return fields([
    ['first difference', `record ${seq}, after t = ${state.t} s`],
    ['recorded', line(difference.recorded)],
    ['here', line(difference.repeated)],
    [
      'state before',
      `${count(state.freeNodes)} nodes free, ${count(state.running)} jobs running, ${count(state.waiting)} waiting`,
    ],
    ...state.reservations.map(
      ({ job, start, nodes }) => ['reserved', `job ${job}, to start at ${start} s on nodes ${nodes}`] as const,
    ),
    ...answers.map(({ job, answer }) => ['the policy says', `job ${job}: ${answer}`] as const),
  ])
}
