import { runTimesOfLog } from './run-times-of-log.ts'
import { type LogRecord, encodeRecord, headerTopology } from '@cloister/eventlog'
import type { Difference } from '@cloister/replay'
import { Effect, Option } from 'effect'
import { RepeatedReading, concludeReading } from './log-reading.ts'
import { describeOtherDecisions, otherDecisionsOf } from './other-decisions.ts'
import { describeOutcomeOf } from './placement-outcome.ts'
import { print } from '../terminal/output.ts'
import { blamePolicy } from '@cloister/run'
import { policiesOfLogs } from '../run/inputs.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { count } from '../terminal/quantities.ts'
import { headerOf, repeatRun } from './repetition.ts'
import { fields } from '../terminal/table.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'
import { bind } from '@cloister/run'

export interface RerunOptions {
  readonly log: string
  readonly policy: Option.Option<string>
  readonly policyConfig: string
  readonly limit: number
  readonly json: boolean
}

export const rerunLog = Effect.fn(function* ({ log, policy, policyConfig, limit, json }: RerunOptions) {
  const policies = yield* PolicyLookup
  const reading = new RepeatedReading(log)
  const header = yield* attempt(() => headerOf(reading))
  const found = yield* Option.match(policy, {
    onNone: () => policies.findOfLog(header.policy.name),
    onSome: policies.find,
  })
  if (found.policy.name !== header.policy.name) {
    const topology = headerTopology(header)
    const bound = yield* bind(found, topology, yield* attempt(() => parseJson('config', policyConfig)))
    const runTimes = yield* runTimesOfLog(header, topology).pipe(Effect.provide(policiesOfLogs))
    const decisions = yield* attempt(() =>
      blamePolicy(found, 'place', () => otherDecisionsOf(reading, bound, runTimes, limit)),
    )
    yield* print(json, decisions, () => describeOtherDecisions(header, decisions))
    return yield* concludeReading([{ path: log, outcome: reading.outcome }])
  }
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
      ? `equal: ${policyOfLog} decides all ${count(compared)} records again as they are recorded`
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
