import { Config } from 'effect'
import { Argument, Flag } from 'effect/cli'

export const logArgument = Argument.String('log').pipe(Argument.withDescription('An event log, plain or .zst'))

export const jsonFlag = Flag.Boolean('json').pipe(
  Flag.withDescription('Print the result as JSON, names as documented'),
  Flag.withDefault(false),
  Flag.withoutNegation,
)

/** A moment of a log. */
export const momentFlags = {
  at: Flag.Finite('at').pipe(
    Flag.withMetavar('T'),
    Flag.withDescription('The state after everything that happened until T seconds'),
    Flag.optional,
  ),
  seq: Flag.Int('seq').pipe(Flag.withMetavar('N'), Flag.withDescription('The state after record N'), Flag.optional),
}

/** For commands that run a policy again on what a log says. */
export const maxQuestionsFlag = Flag.Int('max-questions').pipe(
  Flag.withMetavar('N'),
  Flag.withDescription(
    'How often the policy is asked; default: more than a log of its length needs on any real machine. A small forged log may have it asked for days',
  ),
  Flag.optional,
)

/** For commands that need what a log has the checksums of alone. */
export const matricesFlag = Flag.String('matrices').pipe(
  Flag.withMetavar('FILES'),
  Flag.withDescription(
    'The files of the communication matrices that the log names, with commas between them; they are known by their checksums',
  ),
  Flag.optional,
)

export const policyConfigFlag = Flag.String('policy-config').pipe(
  Flag.withMetavar('JSON'),
  Flag.withDescription("The policy's configuration"),
  Flag.withDefault('{}'),
)

/** Where text goes that a command writes. */
export const outFlag = Flag.String('out').pipe(
  Flag.withMetavar('FILE'),
  Flag.withDescription('File to write; default: standard output'),
  Flag.optional,
)

export const forceFlag = Flag.Boolean('force').pipe(
  Flag.withDescription('Overwrite FILE where it exists'),
  Flag.withDefault(false),
  Flag.withoutNegation,
)

export const anonymiseFlag = Flag.String('anonymise').pipe(
  Flag.withMetavar('SALT'),
  Flag.withFallbackConfig(Config.String('CLOISTER_ANONYMISE')),
  Flag.withDescription(
    'Write digests in place of the names of users, accounts and jobs: the same for the same name and SALT, a secret of at least 8 characters; else $CLOISTER_ANONYMISE',
  ),
  Flag.optional,
)
