import { Config } from 'effect'
import { Argument, Flag } from 'effect/cli'

export const logArgument = Argument.String('log').pipe(Argument.withDescription('Event log, plain or .zst'))

export const jsonFlag = Flag.Boolean('json').pipe(
  Flag.withDescription('Print the result as JSON'),
  Flag.withDefault(false),
  Flag.withoutNegation,
)

/** Flags `--at` and `--seq` for a moment of a log. */
export const momentFlags = {
  at: Flag.Finite('at').pipe(
    Flag.withMetavar('T'),
    Flag.withDescription('Moment of the run: after all records up to T seconds'),
    Flag.optional,
  ),
  seq: Flag.Int('seq').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Moment of the run: after record N of the log'),
    Flag.optional,
  ),
}

/** Flag `--max-questions` of the commands that run a policy again on the inputs of a log. */
export const maxQuestionsFlag = Flag.Int('max-questions').pipe(
  Flag.withMetavar('N'),
  Flag.withDescription(
    'Largest number of requests to the policy\nDefault: a limit by the length of the log and the size of the machine. The limit ends the work on a forged log.',
  ),
  Flag.optional,
)

/** Flag `--matrices` of the commands that need communication matrices. A log has only the checksums of the matrices. */
export const matricesFlag = Flag.String('matrices').pipe(
  Flag.withMetavar('FILES'),
  Flag.withDescription(
    'Files of the communication matrices of the log, separated by commas\nThe header of the log has the name and the SHA-256 of each matrix.',
  ),
  Flag.optional,
)

export const policyConfigFlag = Flag.String('policy-config').pipe(
  Flag.withMetavar('JSON'),
  Flag.withDescription('Configuration of the policy as JSON, default: {}'),
  Flag.withDefault('{}'),
)

/** Flag `--out` of the commands that write one text, by default to standard output. */
export const outFlag = Flag.String('out').pipe(
  Flag.withMetavar('FILE'),
  Flag.withDescription('File to write, default: standard output'),
  Flag.optional,
)

export const forceFlag = Flag.Boolean('force').pipe(
  Flag.withDescription('Overwrite files that exist'),
  Flag.withDefault(false),
  Flag.withoutNegation,
)

export const anonymiseFlag = Flag.String('anonymise').pipe(
  Flag.withMetavar('SALT'),
  Flag.withFallbackConfig(Config.String('CLOISTER_ANONYMISE')),
  Flag.withDescription(
    'Replace names of users, accounts and jobs by digests\nEqual names and equal SALT give equal digests. SALT is a secret of at least 8 characters; default: $CLOISTER_ANONYMISE.',
  ),
  Flag.optional,
)
