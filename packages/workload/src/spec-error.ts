/** Error for a wrong text from the user: a filter, arrivals, a scenario, the name of a trace. */
export class SpecError extends Error {
  readonly _tag = 'SpecError'
  /** Kind of the text, such as `filter`, `arrivals`, `scenario`, `trace`. */
  readonly subject: string
  readonly found: string
  readonly expected: string

  constructor(subject: string, found: string, expected: string) {
    super(`${subject}: found ${JSON.stringify(found)}, expected ${expected}`)
    this.name = 'SpecError'
    this.subject = subject
    this.found = found
    this.expected = expected
  }
}
