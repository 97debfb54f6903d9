import type { PolicyQuestionName, Questions } from '@cloister/viewer'
import { Context, type Effect, type Scope } from 'effect'

/** Question to the policy of a log in one of its states. */
export interface PolicyTask {
  readonly path: string
  /** Number of replacements of the file. */
  readonly generation: number
  /** Location of the log's own policy, if the policy is not built in. */
  readonly policy: string | undefined
  readonly name: PolicyQuestionName
  /** Moment in the part of the log read so far. */
  readonly question: Questions[PolicyQuestionName]['ask']
  /** Number of records read so far. */
  readonly records: number
}

/** Reply of a thread: an answer, or the reason of a failure. */
export type PolicyReply = { readonly answer: Questions[PolicyQuestionName]['answer'] } | { readonly failure: string }

/** Asks a question, and waits for the answer. Fails with the reason of a failure. */
export type AskPolicy = (task: PolicyTask) => Effect.Effect<Questions[PolicyQuestionName]['answer'], string>

/** Separate thread for policies, so that requests for states do not wait for policies. */
export class PolicyThread extends Context.Service<
  PolicyThread,
  {
    /** Starts a thread for the time of the scope. */
    readonly start: Effect.Effect<AskPolicy, never, Scope.Scope>
  }
>()('cloister/PolicyThread') {}
