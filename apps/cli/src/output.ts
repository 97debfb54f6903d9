import { Console, Effect } from 'effect'
import { Flag } from 'effect/cli'

export const jsonFlag = Flag.Boolean('json').pipe(Flag.withDescription('Print the result as JSON, names as documented'), Flag.withDefault(false), Flag.withoutNegation)

/** Prints a result: as JSON with stable names, or as the text a person reads. */
export function print(json: boolean, value: unknown, text: () => string): Effect.Effect<void> {
  return Console.log(json ? JSON.stringify(value, null, 2) : text())
}

/** A remark that is no result: to standard error, so that output can be piped. */
export function remark(text: string): Effect.Effect<void> {
  return Console.error(text)
}
