import type { PolicyQuestionName, Questions } from '@cloister/viewer'
import { Context, type Effect, type Scope } from 'effect'

/** A question to the policy of a log in one of its states. */
export interface PolicyTask {
  readonly path: string
  /** Changes when the file is replaced. */
  readonly generation: number
  /** Where the log's own policy is, if it is not built in. */
  readonly policy: string | undefined
  readonly name: PolicyQuestionName
  /** A moment of what is read of the log. */
  readonly question: Questions[PolicyQuestionName]['ask']
  /** Records that are read of it. */
  readonly records: number
}

/** What a thread tells: an answer, or why there is none. */
export type PolicyReply = { readonly answer: Questions[PolicyQuestionName]['answer'] } | { readonly failure: string }

/** Asks, and waits for the answer; fails with the reason where there is none. */
export type AskPolicy = (task: PolicyTask) => Effect.Effect<Questions[PolicyQuestionName]['answer'], string>

/** Policies in a thread of their own: whoever asks for a state of a log does not wait for them. */
export class PolicyThread extends Context.Service<
  PolicyThread,
  {
    /** A thread for as long as the scope lasts. */
    readonly start: Effect.Effect<AskPolicy, never, Scope.Scope>
  }
>()('cloister/PolicyThread') {}
