/** Error for a run that would ask the policy more requests than the caller allows. The policy made no mistake. */
export class TooManyQuestionsError extends Error {
  readonly _tag: 'TooManyQuestionsError' = 'TooManyQuestionsError'
  override readonly name: string = 'TooManyQuestionsError'
  readonly policy: string
  /** Greatest number of requests to the policy that the caller allows. */
  readonly most: number

  constructor(policy: string, most: number) {
    super(`policy ${policy} would be asked more than ${most} questions`)
    this.policy = policy
    this.most = most
  }
}
