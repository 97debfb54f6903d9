/**
 * Schemas of configs as data, without a library: a program that carries a policy carries no schema library for the
 * policy's config. The messages have the words of Effect's schemas, and a test compares both.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'

/** Schema of a config: a Standard Schema that also gives the JSON Schema of the config. */
export interface ConfigSchema<Config> extends StandardSchemaV1<unknown, Config> {
  readonly '~standard': StandardSchemaV1.Props<unknown, Config> & StandardJSONSchemaV1.Props<unknown, Config>
}

/** Type of the values of a field. */
export interface ValueType<Value> {
  /** Right values, after the word "Expected" of a message. */
  readonly expected: string
  /** Returns a value with every default, and adds the faults of the value to `issues`. */
  readonly read: (value: unknown, path: Path, issues: Array<Issue>) => Value
  /** Returns the JSON Schema of the type. @param filled true for values with every default */
  readonly json: (filled: boolean) => JsonSchema
}

type Path = ReadonlyArray<PropertyKey>
type Issue = StandardSchemaV1.Issue
type JsonSchema = Record<string, unknown>

/**
 * Fields of a config, by name. The field of a member that every config has needs a default, or is `required`. The field
 * of an optional member has no default: without a value, the member is absent.
 */
export type ConfigFields<Config> = {
  readonly [Name in keyof Config]-?: ConfigField<Required<Config>[Name]> &
    (Config extends Required<Pick<Config, Name>>
      ? { readonly default: Config[Name] } | { readonly required: true }
      : { readonly default?: never; readonly required?: never })
}

interface ConfigField<Value> {
  readonly type: ValueType<Value>
  /** Meaning of the field, for the list of a policy's options. */
  readonly description?: string
}

/** Rules of a config beyond the types of its fields. */
interface ConfigRules<Config> {
  /** Returns a message about fields that do not fit together; undefined for a sound config. */
  readonly defectOf?: (config: Config) => string | undefined
  /** Message about a field that the config does not have. Default: `Expected no excess property`. */
  readonly excess?: string
}

/**
 * Returns the schema of a config. A config without a field gets the default of the field.
 *
 * @example
 * ```ts
 * import { configSchema, oneOf } from '@cloister/placement'
 *
 * const config = configSchema<{ readonly order: 'first' | 'last' }>({
 *   order: { type: oneOf(['first', 'last']), default: 'first', description: 'nodes with the lowest ids, or the highest' },
 * })
 * ```
 */
export function configSchema<Config>(
  fields: ConfigFields<Config>,
  { defectOf, excess }: ConfigRules<Config> = {},
): ConfigSchema<Config> {
  const type = withRule(objectOf<Config>(fields, excess), (config) => defectOf?.(config))
  const validate = (value: unknown): StandardSchemaV1.Result<Config> => {
    const issues: Array<Issue> = []
    const config = type.read(value, [], issues)
    return issues.length > 0 ? { issues } : { value: config }
  }
  const jsonSchema = { input: inDraft(() => type.json(false)), output: inDraft(() => type.json(true)) }
  return { '~standard': { version: 1, vendor: 'cloister', validate, jsonSchema } }
}

/** The JSON Schemas of this file are the same in both drafts. */
function inDraft(json: () => JsonSchema): StandardJSONSchemaV1.Converter['input'] {
  return ({ target }) => {
    if (target !== 'draft-2020-12' && target !== 'draft-07')
      throw new Error(`found the target ${target}, expected draft-2020-12 or draft-07`)
    return json()
  }
}

/** Returns the type of an object with the given fields. @param excess message about any other field */
export function objectOf<Value>(
  fields: ConfigFields<Value>,
  excess: string = 'Expected no excess property',
): ValueType<Value> {
  const each = Object.entries<ConfigField<unknown> & { readonly default?: unknown; readonly required?: true }>(fields)
  return {
    expected: 'object',
    read: (value, path, issues) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('object', path, issues)
      const given = value as Record<string, unknown>
      for (const key of Reflect.ownKeys(given))
        if (!Object.hasOwn(fields, key)) issues.push({ message: excess, path: [...path, key] })
      const read: Record<string, unknown> = {}
      for (const [name, { type, default: byDefault, required }] of each)
        if (name in given) read[name] = type.read(given[name], [...path, name], issues)
        else if (byDefault !== undefined) read[name] = byDefault
        else if (required) issues.push({ message: 'Missing key', path: [...path, name] })
      return read as Value
    },
    json: (filled) => {
      const properties = each.map(([name, { type, description }]) => {
        return [name, { ...type.json(filled), ...(description !== undefined && { description }) }]
      })
      const present = each.filter(
        ([, { default: byDefault, required }]) => required || (filled && byDefault !== undefined),
      )
      return {
        type: 'object',
        properties: Object.fromEntries(properties),
        ...(present.length > 0 && { required: present.map(([name]) => name) }),
        additionalProperties: false,
      }
    },
  }
}

/** Returns the type of the given texts. */
export function oneOf<const Text extends string>(texts: ReadonlyArray<Text>): ValueType<Text> {
  const expected = texts.map((text) => JSON.stringify(text)).join(' | ')
  return plain(expected, (value) => texts.includes(value as Text), { type: 'string', enum: texts })
}

/** Type of true and false. */
export const boolean: ValueType<boolean> = /* @__PURE__ */ plain('boolean', (value) => typeof value === 'boolean', {
  type: 'boolean',
})

/** Type of any text. */
export const text: ValueType<string> = /* @__PURE__ */ plain('string', (value) => typeof value === 'string', {
  type: 'string',
})

/** Returns the type of the safe integers from a least one, or above a bound. */
export function integer(range: { readonly least: number } | { readonly above: number }): ValueType<number> {
  const [isInRange, inWords, bound] =
    'least' in range
      ? [(value: number) => value >= range.least, `greater than or equal to ${range.least}`, { minimum: range.least }]
      : [(value: number) => value > range.above, `greater than ${range.above}`, { exclusiveMinimum: range.above }]
  return {
    expected: 'number',
    read: (value, path, issues) => {
      if (typeof value !== 'number') return wrong('number', path, issues)
      if (!Number.isSafeInteger(value)) wrong('an integer', path, issues)
      if (!isInRange(value)) wrong(`a value ${inWords}`, path, issues)
      return value
    },
    json: () => ({ type: 'integer', ...bound, maximum: Number.MAX_SAFE_INTEGER }),
  }
}

/** Returns the type of texts and numbers. */
export function eitherOf<Text extends string>(
  texts: ValueType<Text>,
  numbers: ValueType<number>,
): ValueType<Text | number> {
  const expected = `${texts.expected} | ${numbers.expected}`
  return {
    expected,
    read: (value, path, issues) => {
      if (typeof value === 'number') return numbers.read(value, path, issues)
      const found: Array<Issue> = []
      const text = texts.read(value, path, found)
      return found.length === 0 ? text : wrong(expected, path, issues)
    },
    json: (filled) => ({ anyOf: [texts.json(filled), numbers.json(filled)] }),
  }
}

/** Returns the type of lists. */
export function listOf<Item>(
  items: ValueType<Item>,
  { isNonEmpty = false }: { readonly isNonEmpty?: boolean } = {},
): ValueType<ReadonlyArray<Item>> {
  return {
    expected: 'array',
    read: (value, path, issues) => {
      if (!Array.isArray(value)) return wrong('array', path, issues)
      if (isNonEmpty && value.length === 0) issues.push({ message: 'Missing key', path: [...path, 0] })
      return Array.from(value, (item, at) => items.read(item, [...path, at], issues))
    },
    json: (filled) => ({ type: 'array', items: items.json(filled), ...(isNonEmpty && { minItems: 1 }) }),
  }
}

/** Returns a type with a further rule. @param defectOf returns a message about a value; undefined if the rule holds */
export function withRule<Value>(
  type: ValueType<Value>,
  defectOf: (value: Value) => string | undefined,
): ValueType<Value> {
  return {
    ...type,
    read: (value, path, issues) => {
      const before = issues.length
      const read = type.read(value, path, issues)
      const message = issues.length === before ? defectOf(read) : undefined
      if (message !== undefined) issues.push({ message, path })
      return read
    },
  }
}

function plain<Value>(expected: string, isRight: (value: unknown) => boolean, json: JsonSchema): ValueType<Value> {
  const read: ValueType<Value>['read'] = (value, path, issues) =>
    isRight(value) ? (value as Value) : wrong(expected, path, issues)
  return { expected, read, json: () => json }
}

/** Adds an issue. A config with an issue has no value. */
function wrong<Value>(expected: string, path: Path, issues: Array<Issue>): Value {
  issues.push({ message: `Expected ${expected}`, path })
  return undefined as Value
}
