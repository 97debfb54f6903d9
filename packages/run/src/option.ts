import type { LogHeader, RunTimesRef } from '@cloister/eventlog'
import type { QueueDiscipline, Simulation } from '@cloister/kernel'
import * as Schema from 'effect/Schema'
import type { Overruns } from './overruns.ts'
import type { RunFiles } from './services.ts'

/** How an option is written on a command line: `--seed 7`, `--router partition`, `--requeue`, `--policy-config '{"a":1}'`. */
export type OptionKind = 'text' | 'integer' | 'choice' | 'switch' | 'json'

/** Groups of options in help, in their order. */
export const optionGroups = ['jobs', 'machine', 'policy', 'queue', 'run times', 'output'] as const
export type OptionGroup = (typeof optionGroups)[number]

/** A required option has to be given; a defaulted one has a value that holds where none is given; an optional one has none. */
export type Presence = 'required' | 'defaulted' | 'optional'

/** What a run does, where that is not said by the option alone. */
export interface Applied {
  /** Canonical spelling of the arrivals: those of a preset, where none are given. */
  readonly arrivals: string
  /** What the scheduler believes; where nothing is asked for, it follows from what the log has. */
  readonly estimates: 'exact' | 'requested'
  /** Canonical spelling of the scenario; `none` for a policy that claims no speed-up. */
  readonly scenario: string
  /** Where users' estimates are gone by: the jobs that outlive theirs. */
  readonly overruns: Overruns | undefined
  /** With what its reservations are. */
  readonly queue: QueueDiscipline
  /** How running jobs slow each other, as a header says it; undefined where they do not. */
  readonly contention?: RunTimesRef
}

/** Fields of a log's header. Those of the queue are joined. */
export type HeaderFields = Partial<Omit<LogHeader, 'queue'>> & { readonly queue?: Partial<LogHeader['queue']> }

/** What the kernel is told of an option; of the queue, what the option adds to it. */
export type SimulationFields = Partial<Omit<Simulation, 'queue'>> & {
  readonly queue?: Partial<Extract<QueueDiscipline, { backfill: 'easy' }>> | QueueDiscipline
}

/**
 * One thing that decides what a run does. `Value` is what a user writes: a JSON value in the file of an experiment, its
 * text on a command line. `Meaning` is what the program makes of it.
 */
export interface RunOption<Value, Meaning, P extends Presence = Presence> {
  readonly kind: OptionKind
  readonly presence: P
  /** What a value has to be, whatever it says. */
  readonly schema: Schema.Codec<Value>
  /** The same in words: `a whole number of at least 1`. */
  readonly expected: string
  /** For a choice: what there is to choose from. */
  readonly choices?: ReadonlyArray<string>
  /** Stands for the value in help: `FILE`. */
  readonly metavar?: string
  /** Group of the option in help. */
  readonly group: OptionGroup
  /** Description in help: a first line of at most 72 characters, then a line for each detail. */
  readonly help: string
  /** The flag's name, where it is another than the option's in kebab case. */
  readonly flag?: string
  /** Names that the option had before. */
  readonly formerNames?: ReadonlyArray<string>
  /** Of a defaulted option. */
  readonly byDefault?: Value
  /** Whether a canonical description names it even where it is as by default. */
  readonly alwaysShown?: boolean
  /** @throws a tagged error that says what would be right */
  readonly read: (value: Value, files: RunFiles['Service']) => Meaning
  /** The canonical spelling: values that mean the same are spelled the same. @throws as `read` */
  readonly canonical: (value: Value, files: RunFiles['Service']) => Value
  /** Values worth a try, other than the default: tests and random runs take them. */
  readonly samples: ReadonlyArray<Value>
  /** What the kernel is told. */
  readonly simulation?: (meaning: Meaning, applied: Applied) => SimulationFields
  /** What the log says of it. */
  readonly header?: (meaning: Meaning, applied: Applied) => HeaderFields
}

/** An entry of the table but for what follows from its kind. */
type Entry<Value, Meaning> = Omit<
  RunOption<Value, Meaning>,
  'kind' | 'presence' | 'schema' | 'expected' | 'choices' | 'read' | 'canonical'
> &
  Partial<Pick<RunOption<Value, Meaning>, 'schema' | 'canonical'>>

type Read<Value, Meaning> = Pick<RunOption<Value, Meaning>, 'read'>

const itself = <Value>(value: Value): Value => value

/** Text with a meaning of its own. */
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

/** A whole number of at least `least`. */
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

/** One of a few words, the first by default. */
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

/** The same choice without a default of its own: where nothing is chosen, it follows from the run. */
export function undecided<Choice extends string>({
  byDefault: _none,
  ...option
}: RunOption<Choice, Choice>): RunOption<Choice, Choice, 'optional'> {
  return { ...option, presence: 'optional' }
}

/** Off unless it is given. */
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

/** A JSON object, empty by default; canonical with its keys in order. */
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

/** The same option, which has to be given. */
export function required<Value, Meaning>(option: RunOption<Value, Meaning>): RunOption<Value, Meaning, 'required'> {
  return { ...option, presence: 'required' }
}

/** The same option, with a value that holds where none is given. */
export function defaulted<Value, Meaning>(
  byDefault: Value,
  option: RunOption<Value, Meaning>,
): RunOption<Value, Meaning, 'defaulted'> {
  return { ...option, presence: 'defaulted', byDefault }
}

/** The same option, which may be left out. */
export function optional<Value, Meaning>(option: RunOption<Value, Meaning>): RunOption<Value, Meaning, 'optional'> {
  return { ...option, presence: 'optional' }
}

/** The same value, the keys of its objects in order. */
function inOrder(value: Schema.Json): Schema.Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const members = Object.entries(value).map(([key, member]) => [key, inOrder(member)] as const)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}
