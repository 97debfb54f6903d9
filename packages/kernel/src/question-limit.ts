/** Error for a run that would call the policy's `place` more often than the caller allows; no fault of the policy. */
export class TooManyQuestionsError extends Error {
  readonly _tag: 'TooManyQuestionsError' = 'TooManyQuestionsError'
  override readonly name: string = 'TooManyQuestionsError'
  readonly policy: string
  readonly most: number

  constructor(policy: string, most: number) {
    super(`policy ${policy} would be asked more than ${most} questions`)
    this.policy = policy
    this.most = most
  }
}
