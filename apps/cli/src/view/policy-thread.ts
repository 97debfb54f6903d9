import type { PolicyQuestionName, Questions } from '@cloister/viewer'
import { Context, type Effect, type Scope } from 'effect'

/** Question to the policy of a log about one state of the log. */
export interface PolicyTask {
  readonly path: string
  /** Generation of the log file: the number of times that the file was read again from the start. */
  readonly generation: number
  /** Policy of the log as a file or package, or undefined for a built-in policy. */
  readonly policy: string | undefined
  readonly name: PolicyQuestionName
  /** Record or time of the state in question, within the records read so far. */
  readonly question: Questions[PolicyQuestionName]['ask']
  /** Number of records that the main thread has read so far. */
  readonly records: number
}

/** Reply of the thread of policies to a question: an answer, or the reason of a failure. */
export type PolicyReply = { readonly answer: Questions[PolicyQuestionName]['answer'] } | { readonly failure: string }

/** Function that asks the policy of a log, and waits for the answer. Fails with the reason as a text. */
export type AskPolicy = (task: PolicyTask) => Effect.Effect<Questions[PolicyQuestionName]['answer'], string>

/** Separate thread for the answers of policies. Questions of the page about states do not wait for a policy. */
export class PolicyThread extends Context.Service<
  PolicyThread,
  {
    /** Starts the thread that runs policies. The thread ends with the scope. */
    readonly start: Effect.Effect<AskPolicy, never, Scope.Scope>
  }
>()('cloister/PolicyThread') {}
