import { type Header, headerTopology, type LogState } from '@cloister/eventlog'
import { bind, blamePolicy, type FoundPolicy, Policies } from '@cloister/run'
import type { PolicyQuestions } from '@cloister/viewer'
import { Effect } from 'effect'
import { runTimesOfLog } from '../log/run-times-of-log.ts'
import { policyQuestions } from './policy-questions.ts'

/** Returns functions that ask a log's policy, or undefined if the policy is missing or does not serve the machine. */
export const policyOfLog = (
  header: Header,
  given: FoundPolicy | undefined,
): Effect.Effect<PolicyQuestions | undefined, never, Policies> =>
  Effect.gen(function* () {
    const found = given?.policy.name === header.policy.name ? given : yield* (yield* Policies).find(header.policy.name)
    const topology = headerTopology(header)
    const bound = yield* bind(found, topology, header.policy.config)
    const asked = policyQuestions(bound, yield* runTimesOfLog(header, topology))
    const blaming =
      <Answer>(ask: (state: LogState) => Answer) =>
      (state: LogState): Answer =>
        blamePolicy(found, 'place', () => ask(state))
    return {
      why: blaming(asked.why),
      largestFit: blaming(asked.largestFit),
      fits: blaming(asked.fits),
      relief: blaming(asked.relief),
      fragmented: blaming(asked.fragmented),
    }
  }).pipe(Effect.catch(() => Effect.succeed(undefined)))
