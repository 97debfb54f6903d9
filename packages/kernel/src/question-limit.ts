/** Error for a policy that would be asked more questions than the caller allows. The policy is not at fault. */
export class TooManyQuestionsError extends Error {
  readonly _tag: 'TooManyQuestionsError' = 'TooManyQuestionsError'
  override readonly name: string = 'TooManyQuestionsError'
  readonly policy: string
  /** Allowed number of questions. */
  readonly most: number

  constructor(policy: string, most: number) {
    super(`policy ${policy} would be asked more than ${most} questions`)
    this.policy = policy
    this.most = most
  }
}
