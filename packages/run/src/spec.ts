import * as Schema from 'effect/Schema'
import { OptionError, optionError } from './errors.ts'
import type { JsonObject, Presence, RunOption } from './option.ts'
import { type RunOptionName, type RunOptions, runOptionNames, runOptions } from './options.ts'
import type { RunFiles } from './services.ts'

type ValueOf<Name extends RunOptionName> = RunOptions[Name] extends RunOption<infer Value, any, any> ? Value : never
type MeaningOf<Name extends RunOptionName> =
  RunOptions[Name] extends RunOption<any, infer Meaning, infer P>
    ? P extends 'optional'
      ? Meaning | undefined
      : Meaning
    : never
type Required = {
  [Name in RunOptionName]: RunOptions[Name] extends RunOption<any, any, 'required'> ? Name : never
}[RunOptionName]

/**
 * The description of a run: plain JSON, with values as users write them. In its canonical form what is as by default is
 * left out, and every value is spelled canonically: runs that are the same have the same JSON.
 */
export type RunSpec = { readonly [Name in Required]: ValueOf<Name> } & {
  readonly [Name in Exclude<RunOptionName, Required>]?: ValueOf<Name>
}

/** A description as a user writes it. The policy may have its configuration with it. */
export type GivenSpec = Omit<{ readonly [Name in keyof RunSpec]: RunSpec[Name] | undefined }, Required> & {
  readonly [Name in Exclude<Required, 'policy'>]: ValueOf<Name>
} & { readonly policy: string | { readonly name: string; readonly config?: JsonObject } }

/** Values that still have to be checked. */
export type UncheckedSpec = { readonly [Name in RunOptionName]?: unknown }

/** What the options of a run mean; defaults are filled in. */
export type RunMeanings = { readonly [Name in RunOptionName]: MeaningOf<Name> }

/** Any option of the table: code that goes through all of them knows nothing of their values. */
export type AnyOption = RunOption<unknown, unknown, Presence>

/** The entry of an option in the table, typed as an option of any value. */
export function optionOf(name: RunOptionName): AnyOption {
  return runOptions[name] as unknown as AnyOption
}

/**
 * The canonical form.
 *
 * @throws OptionError where a value is missing or not as it has to be, or where there is no such option
 */
export function canonicalSpec(given: UncheckedSpec, files: RunFiles['Service']): RunSpec {
  const values = withPolicy(given)
  for (const name of Object.keys(values)) checkName(name)
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

/**
 * What the options of a run mean, read from their values.
 *
 * @throws OptionError
 */
export function meaningsOf(spec: RunSpec, files: RunFiles['Service']): RunMeanings {
  const meanings: Record<string, unknown> = {}
  for (const name of runOptionNames) {
    const option = optionOf(name)
    const value = checked(name, option, spec[name])
    meanings[name] = value === undefined ? undefined : reading(name, () => option.read(value, files))
  }
  return meanings as RunMeanings
}

/** How runs are told apart: the JSON of a canonical description. */
export function specKey(spec: RunSpec): string {
  return JSON.stringify(spec)
}

/** What an option was called before is told by its present name. */
export function currentName(name: string): RunOptionName | undefined {
  return runOptionNames.find((each) => optionOf(each).formerNames?.includes(name) === true)
}

function checkName(name: string): void {
  if (Object.hasOwn(runOptions, name)) return
  const current = currentName(name)
  const reason = current === undefined ? 'there is no such option' : `is called ${current} now`
  throw new OptionError({ option: name, reason })
}

/** `policy: {name, config}` as two values. */
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
