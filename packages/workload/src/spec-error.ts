import { closest, distance } from 'fastest-levenshtein'

/** Error for a wrong text from the user, such as a filter, arrivals, a scenario or the name of a trace. */
export class SpecError extends Error {
  readonly _tag = 'SpecError'
  /** Kind of the text, such as `filter`, `arrivals`, `scenario`, `trace`. */
  readonly subject: string
  readonly found: string
  readonly expected: string

  /**
   * `known` has the allowed first words of the text; the message proposes a word that differs by at most two letters.
   */
  constructor(subject: string, found: string, expected: string, known: ReadonlyArray<string> = []) {
    super(`${subject}: found ${JSON.stringify(found)}, expected ${expected}${suggestion(found, known)}`)
    this.name = 'SpecError'
    this.subject = subject
    this.found = found
    this.expected = expected
  }
}

function suggestion(found: string, known: ReadonlyArray<string>): string {
  if (known.length === 0) return ''
  const [word] = /^[^:]*/.exec(found)!
  const candidate = closest(word, known)
  return distance(word, candidate) <= 2 ? `; did you mean ${candidate}${found.slice(word.length)}?` : ''
}
