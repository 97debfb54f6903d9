/** Text given by the user (a filter, arrivals, a scenario, a trace's name) that is not spelled as it has to be. */
export class SpecError extends Error {
  readonly _tag = 'SpecError'
  /** What was being read: `filter`, `arrivals`, `scenario`, `trace`. */
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
