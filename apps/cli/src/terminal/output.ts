import { Console, Effect } from 'effect'

/** Prints a result: as JSON with stable names, or as the text a person reads. */
export function print(json: boolean, value: unknown, text: () => string): Effect.Effect<void> {
  return Console.log(visible(json ? JSON.stringify(value, null, 2) : text()))
}

/** A remark that is no result: to standard error, so that output can be piped. */
export function remark(text: string): Effect.Effect<void> {
  return Console.error(visible(text))
}

/**
 * The text with what a terminal does not show as a character of its own escaped as in JSON, all but line feeds and tabs:
 * control characters, those that turn the direction of writing, line separators, and those of no width. Logs and traces may
 * come from anybody: what they hold must not move the cursor of whoever looks at it, and two names must not look like one.
 */
export function visible(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, escaped)
}

/** The same for what stands on one line among others: line feeds too. */
export function visibleOnOneLine(text: string): string {
  return visible(text).replaceAll('\n', escaped)
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
