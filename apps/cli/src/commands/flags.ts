import { Config, Effect } from 'effect'
import { Argument, type Command, Flag } from 'effect/cli'
import { Problem } from '../errors/errors.ts'

/** Values of the flags and arguments of a command, as the handler of the command gets the values. */
export type Options<Flags extends Command.Command.Config> = Command.Command.Config.Infer<Flags>

/** Returns a flag without a value: true if given, else false. The first line of `help` is a line of the help. */
export function onFlag(name: string, help: string): Flag.Flag<boolean> {
  return Flag.Boolean(name).pipe(Flag.withDescription(help), Flag.withDefault(false), Flag.withoutNegation)
}

/** Returns a flag with a text as value. `metavar` is the name of the value in the help. */
export function textFlag(name: string, metavar: string, help: string): Flag.Flag<string> {
  return Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(help))
}

/** Returns a flag with an integer as value. */
export function integerFlag(name: string, metavar: string, help: string): Flag.Flag<number> {
  return Flag.Int(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(help))
}

/** Returns a flag with a number as value, such as a time in seconds. */
export function numberFlag(name: string, metavar: string, help: string): Flag.Flag<number> {
  return Flag.Finite(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(help))
}

/** Fails with a message if `isRefused` is true: options exclude each other, have no effect, or have a wrong value. */
export function refuseIf(isRefused: boolean, message: string): Effect.Effect<void, Problem> {
  return isRefused ? Effect.fail(new Problem(message)) : Effect.void
}

/** Fails if the value of an option is less than `least`. */
export function checkAtLeast(option: string, found: number, least: number): Effect.Effect<void, Problem> {
  return refuseIf(found < least, `--${option}: found ${found}, expected at least ${least}`)
}

export const logArgument = Argument.String('log').pipe(Argument.withDescription('Event log, plain or .zst'))

export const jsonFlag = onFlag('json', 'Print the result as JSON')

export const forceFlag = onFlag('force', 'Overwrite files that exist')

/** Flags `--at` and `--seq` for a moment of a log. */
export const momentFlags = {
  at: numberFlag('at', 'T', 'Moment of the run: after all records up to T seconds').pipe(Flag.optional),
  seq: integerFlag('seq', 'N', 'Moment of the run: after record N of the log').pipe(Flag.optional),
}

/** Flag `--time` for the times in tables of text. */
export const timeFlag = Flag.Literals('time', ['relative', 'clock']).pipe(
  Flag.withDescription(
    'Times in tables: seconds from the start, or clock times in UTC\nDefault: relative. Clock times need a log whose header has an epoch. --json prints seconds.',
  ),
  Flag.withDefault('relative'),
)

/** Flag `--max-questions` of the commands that run a policy again on the inputs of a log. */
export const maxQuestionsFlag = integerFlag(
  'max-questions',
  'N',
  'Largest number of requests to the policy\nDefault: a limit by the length of the log and the size of the machine. The limit ends the work on a forged log.',
).pipe(Flag.optional)

/** Flag `--matrices` of the commands that need communication matrices. A log has only the checksums of the matrices. */
export const matricesFlag = textFlag(
  'matrices',
  'FILES',
  'Files of the communication matrices of the log, separated by commas\nThe header of the log has the name and the SHA-256 of each matrix.',
).pipe(Flag.optional)

/** Flag `--router` of the commands that run a policy again on the inputs of a log. */
export const routerOfLogFlag = textFlag(
  'router',
  'NAME',
  'Router of the log, as a file or a package\nNeeded if the router of the log is not built in.',
).pipe(Flag.optional)

/** Flag `--order` of the commands that read the queue order of a log. */
export const orderOfLogFlag = textFlag(
  'order',
  'NAME',
  'Queue order of the log, as a file, a package or exec:COMMAND\nNeeded if the queue order of the log is not built in.',
).pipe(Flag.optional)

export const policyConfigFlag = textFlag(
  'policy-config',
  'JSON',
  'Configuration of the policy as JSON, default: {}',
).pipe(Flag.withDefault('{}'))

export const orderConfigFlag = textFlag(
  'order-config',
  'JSON',
  'Configuration of the queue order as JSON, default: {}',
).pipe(Flag.withDefault('{}'))

/** Flag `--out` of the commands that write one text, by default to standard output. */
export const outFlag = textFlag('out', 'FILE', 'File to write, default: standard output').pipe(Flag.optional)

export const anonymiseFlag = Flag.String('anonymise').pipe(
  Flag.withMetavar('SALT'),
  Flag.withFallbackConfig(Config.String('CLOISTER_ANONYMISE')),
  Flag.withDescription(
    'Replace names of users, accounts, jobs, QOS and reservations by digests\nEqual names and equal SALT give equal digests. SALT is a secret of at least 8 characters; default: $CLOISTER_ANONYMISE.',
  ),
  Flag.optional,
)
