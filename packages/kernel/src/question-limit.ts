/** A policy would be asked more questions than whoever has it asked allows. It is no fault of the policy. */
export class TooManyQuestionsError extends Error {
  readonly _tag: 'TooManyQuestionsError' = 'TooManyQuestionsError'
  override readonly name: string = 'TooManyQuestionsError'
  readonly policy: string
  /** How many were allowed. */
  readonly most: number

  constructor(policy: string, most: number) {
    super(`policy ${policy} would be asked more than ${most} questions`)
    this.policy = policy
    this.most = most
  }
}
