import { type Explanation, explain as explanationOf } from '@cloister/replay'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { describeExplanation } from '../log/explanation.ts'
import { RepeatedReading, concludeReading, logArgument } from '../log/log-reading.ts'
import { jsonFlag, print, remark } from '../terminal/output.ts'
import { findPolicy, findPolicyOfLog } from '../policy/policy-lookup.ts'
import { ExitWith, Problem, attempt, exitCodes } from '../errors/problem.ts'
import { headerOf, repeatRun } from '../log/repetition.ts'

export const explain = Command.make(
  'explain',
  {
    log: logArgument,
    job: Flag.String('job').pipe(Flag.withMetavar('ID'), Flag.withDescription('The job, as the log names it')),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("Where the log's policy is, if it is not built in"),
      Flag.optional,
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('How many rows of each list to show, the last ones'),
      Flag.withDefault(20),
    ),
    json: jsonFlag,
  },
  Effect.fn(function* ({ log, job, policy, limit, json }) {
    if (limit < 1) return yield* new Problem(`--limit: found ${limit}, expected a whole number from 1`)
    const reading = new RepeatedReading(log)
    const header = yield* attempt(() => headerOf(reading))
    const found = header.decisions
      ? undefined
      : yield* Option.match(policy, { onNone: () => findPolicyOfLog(header.policy.name), onSome: findPolicy })
    if (found !== undefined && found.policy.name !== header.policy.name) {
      return yield* new Problem(
        `--policy: found ${found.policy.name}, expected ${header.policy.name}, the policy of the log`,
      )
    }
    const repetition = found && (yield* repeatRun(reading, header, found, job))
    const explanation = yield* attempt(() => explanationOf(() => reading.records(), job, repetition))
    if (explanation === undefined) return yield* new Problem(`${log}: no job ${JSON.stringify(job)} was submitted`)
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
  }),
).pipe(
  Command.withDescription(
    'Tell why a job waited: where it stood in the queue, its reservations, who started before it, why it did not start each time that it was tried, and what freed it. Reasons are in the log where it was made with --decisions; else the policy is run again to find them',
  ),
  Command.withExamples([
    { command: 'cloister explain run.ndjson --job 17', description: 'Why job 17 waited' },
    {
      command: 'cloister explain run.ndjson --job 17 --json',
      description: 'Every reason, reservation and job, for scripts',
    },
  ]),
)

interface Result extends Explanation {
  /** The record from which on the policy decides otherwise than in the log, so that no reasons are known. */
  readonly differsFrom: number | null
}
