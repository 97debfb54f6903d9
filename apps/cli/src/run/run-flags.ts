import { flagOf, optionOf, type RunOptionName, runOptionNames, type UncheckedSpec } from '@cloister/run'
import { Config, Option } from 'effect'
import { Argument, Flag } from 'effect/cli'
import { FormerFlagError } from '../errors/errors.ts'

/** Flag of a run option. The parsed value is none if the flag is missing. */
type GivenFlag = Flag.Flag<Option.Option<unknown>>

/** Creates the flag of a run option. The parser refuses a command line without the flag of a required option. */
function flag(name: RunOptionName): GivenFlag {
  const { kind, presence, choices = [], metavar, help, byDefault } = optionOf(name)
  const defaultText = typeof byDefault === 'string' && kind === 'text' && !['', 'none'].includes(byDefault)
  const described = <A>(bare: Flag.Flag<A>): Flag.Flag<A> => {
    const withHelp = Flag.withDescription(bare, defaultText ? `${help}\nDefault: ${byDefault}.` : help)
    return metavar === undefined ? withHelp : Flag.withMetavar(withHelp, metavar)
  }
  const optional = <A>(bare: Flag.Flag<A>): GivenFlag =>
    presence === 'required' ? Flag.map(described(bare), Option.some<unknown>) : Flag.optional(described(bare))
  switch (kind) {
    case 'text':
    case 'json':
      return optional(Flag.String(flagOf(name)))
    case 'integer':
      return optional(Flag.Int(flagOf(name)))
    case 'choice':
      return optional(Flag.Literals(flagOf(name), choices))
    case 'switch':
      return optional(Flag.withoutNegation(Flag.Boolean(flagOf(name))))
  }
}

/** Values of the flags of a command line, by the name of the run option. */
export type GivenOptions = { readonly [Name in RunOptionName]?: Option.Option<unknown> }

const flagsOf = <const Name extends RunOptionName>(names: ReadonlyArray<Name>): { readonly [N in Name]: GivenFlag } =>
  Object.fromEntries(names.map((name) => [name, flag(name)])) as { [N in Name]: GivenFlag }

/** Former names of run options. A flag with a former name is an error that tells the present name. */
const formerNames: ReadonlyArray<readonly [former: string, name: RunOptionName]> = runOptionNames.flatMap((name) =>
  (optionOf(name).formerNames ?? []).map((former) => [former, name] as const),
)
const formerFlags: Readonly<Record<string, GivenFlag>> = Object.fromEntries(
  formerNames.map(([former, name]) => {
    const bare = optionOf(name).kind === 'switch' ? Flag.Boolean(former) : Flag.String(former)
    return [former, Flag.optional(Flag.withHidden(bare as Flag.Flag<unknown>))]
  }),
)

/** Flags of all run options, and hidden flags for former names. */
export const runFlags: { readonly [Name in RunOptionName]: GivenFlag } = { ...formerFlags, ...flagsOf(runOptionNames) }

/** Returns the error for a flag with a former name; undefined if the command line has no such flag. */
export function formerFlag(given: GivenOptions): FormerFlagError | undefined {
  const found = formerNames.find(([former]) =>
    Option.isSome((given as typeof given & Readonly<Record<string, Option.Option<unknown>>>)[former] ?? Option.none()),
  )
  if (found === undefined) return undefined
  const [former, name] = found
  const { kind, expected } = optionOf(name)
  return new FormerFlagError({ former, flag: flagOf(name), expected: kind === 'switch' ? undefined : expected })
}

/** Flags that select the jobs of a trace, and set the arrival times of the jobs. */
export const workloadFlags = flagsOf([
  'filter',
  'procsPerNode',
  'sizes',
  'skipBadLines',
  'arrivals',
  'arrivesWhen',
  'timeZone',
])

export const traceArgument = Argument.String('trace').pipe(Argument.withDescription(optionOf('trace').help))

/**
 * Flag `--trace-dir`: folder with the files of presets. The folder is no option of a run, because results do not depend
 * on it.
 */
export const traceDirFlag = Flag.String('trace-dir').pipe(
  Flag.withMetavar('DIR'),
  Flag.withFallbackConfig(Config.String('CLOISTER_TRACE_DIR')),
  Flag.withDescription('Folder with the trace files of presets, default: $CLOISTER_TRACE_DIR'),
  Flag.optional,
)

/** Returns the description of a run from the values of flags. Values of JSON options are unparsed text. */
export function givenSpec(given: GivenOptions): UncheckedSpec {
  const entries = runOptionNames.map((name) => [name, Option.getOrUndefined(given[name] ?? Option.none())])
  return Object.fromEntries(entries)
}
