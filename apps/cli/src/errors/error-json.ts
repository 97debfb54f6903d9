import type { ErrorAsJson } from '../results/error.ts'

/** Members of the errors of all libraries, with the places and values of the error. */
interface Knowing {
  readonly _tag: string
  readonly option?: unknown
  readonly argument?: unknown
  readonly file?: unknown
  readonly path?: unknown
  readonly line?: unknown
  readonly field?: unknown
  readonly found?: unknown
  readonly value?: unknown
  readonly subcommand?: unknown
  readonly expected?: unknown
}

/** Returns an error as JSON: the members of the error, and the places and values in the message of the error. */
export function errorAsJson(error: Knowing, message: string, exitCode: number): ErrorAsJson {
  const [, option] = /^--([a-z][a-z-]*)/.exec(message) ?? []
  const [, file, lineOfFile, field] = /^(\S+?)(?:, line |:)(\d+)(?:, field ([^:]+))?:/.exec(message) ?? []
  const line = error.line ?? lineOfFile ?? /\bline (\d+)/.exec(message)?.[1]
  const [, found, expected] = /\bfound (.+?), expected ([^;\n]+)/.exec(message) ?? []
  const known = {
    option: option ?? withoutDashes(error.option ?? error.argument),
    file: error.file ?? error.path ?? file,
    line: line === undefined ? undefined : Number(line),
    field: error.field ?? field,
    found: unquoted(error.found ?? error.value ?? error.subcommand ?? found),
    expected: error.expected ?? expected,
  }
  const isKnown = ([, value]: readonly [string, unknown]): boolean =>
    typeof value === 'string' || typeof value === 'number'
  return { error: message, kind: error._tag, exitCode, ...Object.fromEntries(Object.entries(known).filter(isKnown)) }
}

function withoutDashes(option: unknown): unknown {
  return typeof option === 'string' ? option.replace(/^-+/, '') : option
}

/** Returns the text of a JSON string, as messages quote texts of users; any other value unchanged. */
function unquoted(found: unknown): unknown {
  if (typeof found !== 'string' || !found.startsWith('"')) return found
  try {
    return JSON.parse(found)
  } catch {
    return found
  }
}
