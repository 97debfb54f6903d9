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
type Entry<Value, Meaning, P extends Presence> = Omit<
  RunOption<Value, Meaning, P>,
  'kind' | 'expected' | 'choices' | Implied
> &
  Partial<Pick<RunOption<Value, Meaning, P>, Implied>>
type Implied = 'presence' | 'schema' | 'read' | 'canonical'

type Kind<Value> = Pick<RunOption<Value, unknown>, 'kind' | 'schema' | 'expected'> & Partial<RunOption<Value, unknown>>

/** Returns an option. The entry in the table wins over the fields of the kind. */
function option<Value, Meaning, P extends Presence>(
  kind: Kind<Value>,
  entry: Partial<Entry<Value, Meaning, P>>,
): RunOption<Value, Meaning, P> {
  const itself = (value: Value): Value => value
  return { presence: 'optional', read: itself, canonical: itself, ...kind, ...entry } as RunOption<Value, Meaning, P>
}

export function text<Meaning = string, P extends Presence = 'optional'>(
  entry: Entry<string, Meaning, P>,
): RunOption<string, Meaning, P> {
  return option({ kind: 'text', schema: Schema.NonEmptyString, expected: 'a text' }, entry)
}

export function integer<P extends Presence = 'optional'>({
  least,
  ...entry
}: Entry<number, number, P> & { readonly least?: number }): RunOption<number, number, P> {
  const schema = Schema.Int.check(Schema.isGreaterThanOrEqualTo(least ?? Number.MIN_SAFE_INTEGER))
  const expected = least === undefined ? 'a whole number' : `a whole number of at least ${least}`
  return option({ kind: 'integer', metavar: 'N', schema, expected }, entry as Partial<Entry<number, number, P>>)
}

/** Returns an option for a choice between a few words. The first word is the default, unless the option is optional. */
export function choice<const Choice extends string, P extends Presence = 'defaulted'>(
  choices: readonly [Choice, ...Array<Choice>],
  entry: Omit<Entry<Choice, Choice, P>, 'samples'>,
): RunOption<Choice, Choice, P> {
  const [byDefault, ...samples] = choices
  const schema = Schema.Literals(choices) as Schema.Codec<Choice>
  const kind: Kind<Choice> = { kind: 'choice', schema, expected: `one of ${choices.join(', ')}`, choices, samples }
  return option(entry.presence === 'optional' ? kind : { ...kind, presence: 'defaulted', byDefault }, entry)
}

export function onOff(
  entry: Omit<Entry<boolean, boolean, 'defaulted'>, 'samples'>,
): RunOption<boolean, boolean, 'defaulted'> {
  const kind = { kind: 'switch', schema: Schema.Boolean, expected: 'true or false' } as const
  return option({ ...kind, presence: 'defaulted', byDefault: false, samples: [true] }, entry)
}

/** A JSON object, such as the config of a policy. */
export interface JsonObject {
  readonly [key: string]: Schema.Json
}

/** Returns an option for a JSON object, empty by default. The canonical form has sorted keys. */
export function json(
  entry: Entry<JsonObject, JsonObject, 'defaulted'>,
): RunOption<JsonObject, JsonObject, 'defaulted'> {
  const schema = Schema.Record(Schema.String, Schema.Json) as Schema.Codec<JsonObject>
  const canonical = (value: JsonObject): JsonObject => inOrder(value) as JsonObject
  const kind = { kind: 'json', metavar: 'JSON', schema, expected: 'a JSON object', canonical } as const
  return option({ ...kind, presence: 'defaulted', byDefault: {} }, entry)
}

function inOrder(value: Schema.Json): Schema.Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const members = Object.entries(value).map(([key, member]) => [key, inOrder(member)] as const)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}
