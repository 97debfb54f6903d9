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
 * The text with control characters, and those that turn the direction of writing, escaped as in JSON; all but line feeds and tabs.
 * Logs and traces may come from anybody, and what they hold must not move the cursor of whoever looks at it.
 */
export function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return text.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, escaped)
}

/** The same for what stands on one line among others: line feeds too. */
export function visibleOnOneLine(text: string): string {
  return visible(text).replaceAll('\n', escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
