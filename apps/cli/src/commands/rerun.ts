import { type LogRecord, encodeRecord, headerTopology } from '@cloister/eventlog'
import type { Difference } from '@cloister/replay'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { RepeatedReading, concludeReading, logArgument } from '../log/log-reading.ts'
import { describeOpinions, opinionsOf } from '../log/opinions.ts'
import { describeOutcomeOf } from '../log/placement-outcome.ts'
import { jsonFlag, print } from '../terminal/output.ts'
import { bind, blamePolicy, parsePolicyConfig } from '../policy/policy-binding.ts'
import { findPolicy, findPolicyOfLog } from '../policy/policy-lookup.ts'
import { ExitWith, attempt, exitCodes } from '../errors/problem.ts'
import { count } from '../terminal/quantities.ts'
import { headerOf, repeatRun } from '../log/repetition.ts'
import { fields } from '../terminal/table.ts'

export const rerun = Command.make(
  'rerun',
  {
    log: logArgument,
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        "Another policy, to be asked what it would have decided in each state of the log; or where the log's own policy is, if it is not built in",
      ),
      Flag.optional,
    ),
    policyConfig: Flag.String('policy-config').pipe(
      Flag.withMetavar('JSON'),
      Flag.withDescription("The other policy's configuration"),
      Flag.withDefault('{}'),
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('How many of the other decisions to show'),
      Flag.withDefault(20),
    ),
    json: jsonFlag,
  },
  Effect.fn(function* ({ log, policy, policyConfig, limit, json }) {
    const reading = new RepeatedReading(log)
    const header = yield* attempt(() => headerOf(reading))
    const found = yield* Option.match(policy, { onNone: () => findPolicyOfLog(header.policy.name), onSome: findPolicy })
    if (found.policy.name !== header.policy.name) {
      const bound = yield* bind(found, headerTopology(header), yield* attempt(() => parsePolicyConfig(policyConfig)))
      const opinions = yield* attempt(() => blamePolicy(found, 'place', () => opinionsOf(reading, bound, limit)))
      yield* print(json, opinions, () => describeOpinions(header, opinions))
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
  }),
).pipe(
  Command.withDescription(
    "Run the policy's code again on a log's recorded inputs, up to the first record that differs; or ask another policy about every decision",
  ),
  Command.withExamples([
    { command: 'cloister rerun run.ndjson', description: 'Does the policy still decide the same?' },
    {
      command: 'cloister rerun run.ndjson --policy baseline',
      description: "Where would Baseline have decided differently, in this log's states?",
    },
  ]),
)

function summary({ seq, recorded, repeated, before, answers }: Difference) {
  return {
    seq,
    recorded: recorded ?? null,
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
