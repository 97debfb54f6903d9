/** Text given by the user (a filter, arrivals, a trace's name) that is not spelled as it has to be. */
export class SpellingError extends Error {
  readonly _tag = 'SpellingError'
  /** What was being read: `filter`, `arrivals`, `trace`. */
  readonly subject: string
  readonly found: string
  readonly expected: string

  constructor(subject: string, found: string, expected: string) {
    super(`${subject}: found '${found}', expected ${expected}`)
    this.name = 'SpellingError'
    this.subject = subject
    this.found = found
    this.expected = expected
  }
}
