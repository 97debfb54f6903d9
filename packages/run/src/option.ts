import type { Header } from '@cloister/eventlog'
import * as Schema from 'effect/Schema'
import type { RunFiles } from './services.ts'

/** Form of an option on a command line: `--seed 7`, `--router partition`, `--requeue`, `--policy-config '{"a":1}'`. */
export type OptionKind = 'text' | 'integer' | 'choice' | 'switch' | 'json'

/** Groups of options, in the order of the help. */
export const optionGroups = ['jobs', 'machine', 'policy', 'queue', 'run times', 'output'] as const
/** Group of an option in help. */
export type OptionGroup = (typeof optionGroups)[number]

/** Presence of a value: must be given (required), has a default (defaulted), or may be absent (optional). */
export type Presence = 'required' | 'defaulted' | 'optional'

/** Settings of a run that an option's value alone does not determine. */
export interface Applied {
  /** Canonical spelling of the arrivals. The default depends on the trace: a preset has its own setting. */
  readonly arrivals: string
  /** Estimates of the scheduler: the jobs' run times or the users' walltimes. The default depends on the trace. */
  readonly estimates: 'exact' | 'requested'
  /** Canonical spelling of the scenario; `none` if the policy does not claim `speedupScenarios`. */
  readonly scenario: string
  /** Counts of the jobs that outlive their walltimes; undefined with exact estimates. */
  readonly overruns: Header['overruns']
}

/**
 * An option of a run. `Value` is the user's value: a JSON value in an experiment, the same value as text on a command
 * line. `Meaning` is the value after reading, as the program uses it.
 */
export interface RunOption<Value, Meaning, P extends Presence = Presence> {
  readonly kind: OptionKind
  readonly presence: P
  readonly schema: Schema.Codec<Value>
  /** Description of the accepted values for errors, such as `a whole number of at least 1`. */
  readonly expected: string
  /** Accepted words of a choice. */
  readonly choices?: ReadonlyArray<string>
  /** Placeholder of the value in help, such as `FILE`. */
  readonly metavar?: string
  readonly group: OptionGroup
  /** Description in help: a first line of at most 72 characters, then a line for each detail. */
  readonly help: string
  /** Name of the flag, without dashes. Default: the option's name in kebab case. */
  readonly flag?: string
  readonly byDefault?: Value
  /** True if a canonical description holds the option even with its default value. */
  readonly alwaysShown?: boolean
  /** Returns the meaning of a value. @throws an error with a tag that describes the accepted values */
  readonly read: (value: Value, files: RunFiles['Service']) => Meaning
  /** Returns the spelling of all values with the same meaning. @throws an error with a tag, with the accepted values */
  readonly canonical: (value: Value, files: RunFiles['Service']) => Value
  /** Typical values other than the default, for tests and random runs. */
  readonly samples: ReadonlyArray<Value>
}

/** Entry of the table of options, without the fields that follow from the option's kind. */
type Entry<Value, Meaning> = Omit<
  RunOption<Value, Meaning>,
  'kind' | 'presence' | 'schema' | 'expected' | 'choices' | 'read' | 'canonical'
> &
  Partial<Pick<RunOption<Value, Meaning>, 'schema' | 'canonical'>>

type Read<Value, Meaning> = Pick<RunOption<Value, Meaning>, 'read'>

const itself = <Value>(value: Value): Value => value

export function text<Meaning>(entry: Entry<string, Meaning> & Read<string, Meaning>): RunOption<string, Meaning> {
  return {
    kind: 'text',
    presence: 'optional',
    schema: Schema.NonEmptyString,
    expected: 'a text',
    canonical: itself,
    ...entry,
  }
}

export function integer(entry: Entry<number, number> & { readonly least?: number }): RunOption<number, number> {
  const { least, ...rest } = entry
  return {
    kind: 'integer',
    presence: 'optional',
    metavar: 'N',
    schema: Schema.Int.check(Schema.isGreaterThanOrEqualTo(least ?? Number.MIN_SAFE_INTEGER)),
    expected: least === undefined ? 'a whole number' : `a whole number of at least ${least}`,
    read: itself,
    canonical: itself,
    ...rest,
  }
}

/** Returns an option for a choice between a few words. The first word is the default. */
export function choice<const Choice extends string>(
  choices: readonly [Choice, ...Array<Choice>],
  entry: Omit<Entry<Choice, Choice>, 'samples'>,
): RunOption<Choice, Choice, 'defaulted'> {
  const [byDefault, ...samples] = choices
  return {
    kind: 'choice',
    presence: 'defaulted',
    schema: Schema.Literals(choices) as Schema.Codec<Choice>,
    expected: `one of ${choices.join(', ')}`,
    choices,
    byDefault,
    samples,
    read: itself,
    canonical: itself,
    ...entry,
  }
}

/** Returns a choice without a default value, because the default follows from other options or from the trace. */
export function undecided<Choice extends string>({
  byDefault: _none,
  ...option
}: RunOption<Choice, Choice>): RunOption<Choice, Choice, 'optional'> {
  return { ...option, presence: 'optional' }
}

export function onOff(entry: Omit<Entry<boolean, boolean>, 'samples'>): RunOption<boolean, boolean, 'defaulted'> {
  return {
    kind: 'switch',
    presence: 'defaulted',
    schema: Schema.Boolean,
    expected: 'true or false',
    byDefault: false,
    samples: [true],
    read: itself,
    canonical: itself,
    ...entry,
  }
}

/** A JSON object, such as the config of a policy. */
export interface JsonObject {
  readonly [key: string]: Schema.Json
}

/** Returns an option for a JSON object, empty by default. The canonical form has sorted keys. */
export function json(entry: Entry<JsonObject, JsonObject>): RunOption<JsonObject, JsonObject, 'defaulted'> {
  return {
    kind: 'json',
    presence: 'defaulted',
    metavar: 'JSON',
    schema: Schema.Record(Schema.String, Schema.Json) as Schema.Codec<JsonObject>,
    expected: 'a JSON object',
    byDefault: {},
    read: itself,
    canonical: (value) => inOrder(value) as JsonObject,
    ...entry,
  }
}

export function required<Value, Meaning>(option: RunOption<Value, Meaning>): RunOption<Value, Meaning, 'required'> {
  return { ...option, presence: 'required' }
}

export function defaulted<Value, Meaning>(
  byDefault: Value,
  option: RunOption<Value, Meaning>,
): RunOption<Value, Meaning, 'defaulted'> {
  return { ...option, presence: 'defaulted', byDefault }
}

export function optional<Value, Meaning>(option: RunOption<Value, Meaning>): RunOption<Value, Meaning, 'optional'> {
  return { ...option, presence: 'optional' }
}

function inOrder(value: Schema.Json): Schema.Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const members = Object.entries(value).map(([key, member]) => [key, inOrder(member)] as const)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}
