/** Place of an error in the input: the spec or file, the line, and the field. */
export interface ErrorPlace {
  readonly source?: string | undefined
  /** Line of the file, from 1. */
  readonly line?: number | undefined
  readonly field?: string | undefined
  readonly cause?: unknown
}

/**
 * Error for a topology that cannot be built: a wrong spec, an impossible shape, a broken file. The message states the
 * form allowed.
 */
export class TopologyError extends Error {
  readonly _tag = 'TopologyError' as const
  override readonly name: string = 'TopologyError'
  readonly source: string | undefined
  readonly line: number | undefined
  readonly field: string | undefined
  /** Message without the place. */
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

/** Returns a text for an error message: in quotes, with escaped control characters, cut after 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}

/** Returns any value for an error message. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return String(value)
}
