/** Place of an error in the input: the spec or file, the line, and the field; each is absent if unknown. */
export interface ErrorPlace {
  readonly source?: string | undefined
  /** Line of the file, from 1. */
  readonly line?: number | undefined
  readonly field?: string | undefined
  readonly cause?: unknown
}

/** Error for a topology that cannot be built, with the place of the fault and the form allowed. */
export class TopologyError extends Error {
  readonly _tag = 'TopologyError' as const
  override readonly name: string = 'TopologyError'
  readonly source: string | undefined
  readonly line: number | undefined
  readonly field: string | undefined
  /** Text of the message without the place of the fault. */
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

/** Returns a text in quotes with escaped control characters, for messages; cuts texts of more than 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}

/** Returns a short text for any value, for an error message: "a list" for an array, "an object" for an object. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return String(value)
}

/** Most nodes of a machine, links of a level and names of a hostlist: hostile input must not exhaust the memory. */
export const MAX_IDS: number = 2 ** 22

/** Most levels of switches of a machine. */
export const MAX_LEVELS = 16

/** Most characters of all names of a hostlist, because a short text with brackets can stand for very many names. */
export const MAX_NAME_CHARACTERS: number = 2 ** 24
