/** Where in its input an error is: the spelling or file, its line, and the field. */
export interface ErrorPlace {
  readonly source?: string | undefined
  /** From 1. */
  readonly line?: number | undefined
  readonly field?: string | undefined
  readonly cause?: unknown
}

/** A topology that cannot be built: a wrong spelling, an impossible shape, a broken file. The message says what would be right. */
export class TopologyError extends Error {
  readonly _tag = 'TopologyError' as const
  override readonly name: string = 'TopologyError'
  readonly source: string | undefined
  readonly line: number | undefined
  readonly field: string | undefined
  /** What is wrong, without the place. */
  readonly problem: string

  constructor(problem: string, place: ErrorPlace = {}) {
    const { source, line, field, cause } = place
    const parts = [source, line === undefined ? undefined : `line ${line}`, field, problem]
    super(parts.filter((part) => part !== undefined).join(': '), cause === undefined ? undefined : { cause })
    this.source = source
    this.line = line
    this.field = field
    this.problem = problem
  }
}

const SHOWN_CHARACTERS = 60

/** Input as an error message shows it: quoted, control characters escaped, cut to a length that fits a line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}

/** Any value as an error message shows it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return String(value)
}
