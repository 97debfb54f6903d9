import * as Schema from 'effect/Schema'
import { OptionError, optionError } from './errors.ts'
import type { JsonObject, Presence, RunOption } from './option.ts'
import { flagOf, type RunOptionName, runOptionNames, type RunOptions, runOptions } from './options.ts'
import type { RunFiles } from './services.ts'

type ValueOf<Option> = Option extends RunOption<infer Value, any> ? Value : never
type MeaningOf<Option> =
  Option extends RunOption<any, infer Meaning, infer P> ? (P extends 'optional' ? Meaning | undefined : Meaning) : never
type Required = {
  [Name in RunOptionName]: RunOptions[Name] extends RunOption<any, any, 'required'> ? Name : never
}[RunOptionName]
type Optional = Exclude<RunOptionName, Required>
type Values = { readonly [Name in keyof RunOptions]: ValueOf<RunOptions[Name]> }
type OrUndefined<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined }

/**
 * Description of a run from a user. Every member is an option of a run: the name in an experiment and, except for
 * `config`, the flag of `cloister simulate` in camel case. The table in options.ts has the help, the default and the
 * check of each option.
 *
 * @example
 * const spec: GivenSpec = { trace: 'synth:16', topology: 'radix:16', policy: 'jigsaw', queue: 'easy:50' }
 */
export interface GivenSpec extends Pick<Values, Exclude<Required, 'policy'>>, OrUndefined<Pick<Values, Optional>> {
  /** Placement policy: the name of a built-in policy, a package, a file or `exec:COMMAND`, with or without its config. */
  readonly policy: string | { readonly name: string; readonly config?: JsonObject }
}

/**
 * Description of a run: plain JSON with the users' values. The canonical form leaves out default values, except of the
 * queue, and spells every value canonically. Equal runs then have equal JSON.
 */
export type RunSpec = Pick<Values, Required> & Partial<Pick<Values, Optional>>

/** Description of a run with unchecked values. */
export type UncheckedSpec = { readonly [Name in RunOptionName]?: unknown }

/** Meanings of all options of a run, with defaults filled in. */
export type RunMeanings = { readonly [Name in RunOptionName]: MeaningOf<RunOptions[Name]> }

/** Any option of the table, for code that treats all options alike. */
export type AnyOption = RunOption<unknown, unknown, Presence>

/** Returns the entry of an option in the table, typed as an option of any value. */
export function optionOf(name: RunOptionName): AnyOption {
  return runOptions[name] as unknown as AnyOption
}

/** Returns the canonical form of a description. @throws OptionError for a missing or wrong value or unknown option */
export function canonicalSpec(given: UncheckedSpec, files: RunFiles['Service']): RunSpec {
  const values = withPolicy(given)
  for (const name of Object.keys(values))
    if (!Object.hasOwn(runOptions, name)) throw new OptionError({ option: name, reason: 'no option has this name' })
  const spec: Record<string, unknown> = {}
  for (const name of runOptionNames) {
    const option = optionOf(name)
    const value = checked(name, option, values[name])
    if (value === undefined) continue
    const canonical = reading(name, () => option.canonical(value, files))
    const isDefault = JSON.stringify(canonical) === JSON.stringify(option.byDefault)
    if (!isDefault || option.alwaysShown === true) spec[name] = canonical
  }
  return spec as unknown as RunSpec
}

/** Returns the meanings of all options, read from their values. @throws OptionError for a missing or wrong value */
export function meaningsOf(spec: RunSpec, files: RunFiles['Service']): RunMeanings {
  const meanings: Record<string, unknown> = {}
  for (const name of runOptionNames) {
    const option = optionOf(name)
    const value = checked(name, option, spec[name])
    meanings[name] = value === undefined ? undefined : reading(name, () => option.read(value, files))
  }
  return meanings as RunMeanings
}

/** Returns the key of a run: the JSON of its canonical description. Equal runs have equal keys. */
export function specKey(spec: RunSpec): string {
  return JSON.stringify(spec)
}

/** Splits `policy: {name, config}` into the values `policy` and `config`. */
function withPolicy(given: UncheckedSpec): UncheckedSpec {
  const { policy, config } = given
  if (typeof policy !== 'object' || policy === null) return given
  const { name, config: own = config } = policy as { readonly name?: unknown; readonly config?: unknown }
  return { ...given, policy: name, config: own }
}

function checked(name: RunOptionName, option: AnyOption, given: unknown): unknown {
  const value = given ?? option.byDefault
  if (value === undefined && option.presence !== 'required') return undefined
  if (value === undefined) throw new OptionError({ option: name, reason: `is missing; expected ${option.expected}` })
  if (!Schema.is(option.schema)(value))
    throw new OptionError({ option: name, reason: `found ${JSON.stringify(value)}, expected ${option.expected}` })
  return value
}

function reading<A>(name: RunOptionName, read: () => A): A {
  try {
    return read()
  } catch (error) {
    throw optionError(name, error)
  }
}

/** Returns the arguments of `cloister simulate` for a description. Options with their default value are left out. */
export function commandWords(spec: RunSpec): ReadonlyArray<string> {
  return runOptionNames.flatMap((name) =>
    JSON.stringify(spec[name]) === JSON.stringify(optionOf(name).byDefault) ? [] : wordsOf(name, spec[name]),
  )
}

/** Returns the arguments for all given options, also for default values. A switch that is off has no argument. */
export function optionWords(options: Partial<GivenSpec>): ReadonlyArray<string> {
  return runOptionNames.flatMap((name) => wordsOf(name, options[name]))
}

function wordsOf(name: RunOptionName, value: unknown): ReadonlyArray<string> {
  if (value === undefined) return []
  const flag = `--${flagOf(name)}`
  if (optionOf(name).kind === 'switch') return value === true ? [flag] : []
  return [flag, typeof value === 'string' ? value : JSON.stringify(value)]
}

/** Returns the arguments of `commandWords` as text for a POSIX shell. */
export function formatCommand(spec: RunSpec): string {
  return commandWords(spec).map(quoteWord).join(' ')
}

/** Returns an argument for a POSIX shell, in quotes if needed. */
export function quoteWord(word: string): string {
  return /^[\w./:,%=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Returns a canonical description as one line, such as `synth:16, radix:16, jigsaw, easy:50, seed 7`. */
export function describeSpec({ trace, topology, policy, config, queue, ...rest }: RunSpec): string {
  const more = Object.entries(rest).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  )
  const withConfig = config === undefined ? policy : `${policy} ${JSON.stringify(config)}`
  return [trace, topology, withConfig, ...(queue === undefined ? [] : [queue]), ...more].join(', ')
}
