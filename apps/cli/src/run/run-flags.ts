import { flagOf, optionOf, type RunOptionName, runOptionNames, type UncheckedSpec } from '@cloister/run'
import { Config, Option } from 'effect'
import { Argument, Flag } from 'effect/cli'

type GivenFlag = Flag.Flag<Option.Option<unknown>>

function flag(name: RunOptionName, presence = optionOf(name).presence): GivenFlag {
  const { kind, choices = [], metavar, help, byDefault } = optionOf(name)
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

/** Flags of all run options. */
export const runFlags = flagsOf(runOptionNames)

/** Flags of the required run options, for a command that can also take these options from a log. */
export const flagsBesideLog = {
  trace: flag('trace', 'optional'),
  topology: flag('topology', 'optional'),
  policy: flag('policy', 'optional'),
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
  'columns',
])

export const traceArgument = Argument.String('trace').pipe(Argument.withDescription(optionOf('trace').help))

/** Flag `--trace-dir`: folder of preset traces; no option of a run, because results do not depend on the folder. */
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
