import { Console, Context, Effect } from 'effect'
import type { Exactly, ResultName, ResultOf } from '../results/results.ts'

/** JSON that a command line prints. */
interface JsonState {
  /** True if the command line has --json. */
  readonly isAsked: boolean
  /** True if a result was printed as JSON. */
  isPrinted: boolean
}

/** State of the JSON of the command line. */
export const Json: Context.Reference<JsonState> = Context.Reference<JsonState>('cloister/Json', {
  defaultValue: () => ({ isAsked: false, isPrinted: false }),
})

/**
 * Prints the result of a command to standard output: `value` as JSON if `json` is true, else `text()` for users.
 *
 * @param _command words of the command after `cloister`: the name in `results.ts` of the schema of `value`
 * @param value result of the command, without fields that the schema lacks
 */
export function print<Name extends ResultName, Value extends ResultOf<Name>>(
  _command: Name,
  json: boolean,
  value: Exactly<Value, Name> & Value,
  text: () => string,
): Effect.Effect<void> {
  return Effect.flatMap(Json, (state) => {
    state.isPrinted ||= json
    return printText(json ? JSON.stringify(value, null, 2) : text())
  })
}

/** Prints a part of a result to standard output, for users. */
export function printText(text: string): Effect.Effect<void> {
  return Console.log(visible(text))
}

/** Prints a remark to standard error, so that standard output contains only results. */
export function remark(text: string): Effect.Effect<void> {
  return Console.error(visible(text))
}

/**
 * Replaces invisible characters by escapes of JSON, except line feeds and tabs: control characters, characters that
 * change the writing direction, line separators, and characters without width. Logs and traces may come from strangers.
 * Text of a log must not move the cursor, and different names must not look equal.
 */
export function visible(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, escaped)
}

/** Escapes invisible characters and line feeds, for text on one line. */
export function visibleOnOneLine(text: string): string {
  return visible(text).replaceAll('\n', escaped)
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
