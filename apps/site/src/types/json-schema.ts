// Makes the JSON Schema of the texts that JSON.stringify returns for the values of a TypeScript type.
import { metricList } from '@cloister/metrics'
import { type Checker, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync'

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Makes JSON Schemas of TypeScript types. Named types become definitions with their docstrings. */
export class JsonSchemas {
  readonly #checker: Checker
  /** JSON Schemas by the id of the type, because most types occur in several results. */
  readonly #known = new Map<number, JsonSchema>()
  readonly #definitions = new Map<string, JsonSchema>()

  constructor(checker: Checker) {
    this.#checker = checker
  }

  /** Returns the JSON Schema, with all definitions, of values that have one of the types. */
  document(title: string, types: ReadonlyArray<Type>): JsonSchema {
    const whole = anyOf(types.map((type) => this.#of(type)))
    const names = [...this.#named(whole)].sort()
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title,
      ...whole,
      ...(names.length === 0
        ? {}
        : { $defs: Object.fromEntries(names.map((name) => [name, this.#definitions.get(name)])) }),
    }
  }

  #named(schema: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
    for (const [, name] of JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)) {
      if (names.has(name)) continue
      names.add(name)
      this.#named(this.#definitions.get(name), names)
    }
    return names
  }

  #of(type: Type): JsonSchema {
    const known = simpleSchema(type) ?? this.#known.get(type.id)
    if (known !== undefined) return known
    const name = this.#nameOf(type)
    const found = name === undefined ? this.#structure(type) : this.#define(name, type)
    this.#known.set(type.id, found)
    return found
  }

  #define(name: string, type: Type): JsonSchema {
    const sameName = [...this.#definitions.keys()].filter((each) => each.replace(/\d+$/, '') === name).length
    const own = sameName === 0 ? name : `${name}${sameName + 1}`
    const reference = { $ref: `#/$defs/${own}` }
    // A type may contain itself, so the reference to its definition is known before the definition.
    this.#known.set(type.id, reference)
    this.#definitions.set(own, {})
    const symbol = type.getAliasSymbol() ?? type.getSymbol()
    const description = symbol === undefined ? '' : this.#checker.getDocumentationCommentOfSymbol(symbol)
    this.#definitions.set(own, { ...described(description), ...this.#structure(type) })
    return reference
  }

  /** Returns the name of a type; undefined for unnamed types, instances of generic types and arrays. */
  #nameOf(type: Type): string | undefined {
    const alias = type.getAliasSymbol()
    if (alias !== undefined) return type.getAliasTypeArguments().length === 0 ? alias.name : undefined
    if (!type.isClassOrInterface() || type.getTypeParameters().length > 0 || this.#checker.isArrayType(type))
      return undefined
    return type.getSymbol()?.name
  }

  #structure(type: Type): JsonSchema {
    if (type.isUnionType()) return this.#union(type.getTypes())
    if (this.#checker.isTupleType(type)) return this.#tuple(type)
    if (this.#checker.isArrayType(type)) {
      const [item] = type.isTypeReference() ? this.#checker.getTypeArguments(type) : []
      return { type: 'array', ...(item !== undefined && { items: this.#of(item) }) }
    }
    // The JSON of an array has no methods, although an interface that extends an array has them.
    const [index] = this.#checker.getIndexInfosOfType(type)
    if (index !== undefined && index.keyType.flags & TypeFlags.NumberLike)
      return { type: 'array', items: this.#of(index.valueType) }
    return this.#object(type)
  }

  #union(types: ReadonlyArray<Type>): JsonSchema {
    const printed = types.filter((type) => (type.flags & TypeFlags.VoidLike) === 0)
    const [booleans, others] = parted(printed, (type) => type.isBooleanLiteralType())
    const [literals, rest] = parted(others, (type) => type.isLiteralType())
    const values = literals.map((type) => (type.isLiteralType() ? type.value : null))
    return anyOf([
      ...(booleans.length === 2 ? [{ type: 'boolean' }] : booleans.map((type) => this.#of(type))),
      ...(values.length === 0 ? [] : values.length === 1 ? [{ const: values[0] }] : [{ enum: values }]),
      ...rest.map((type) => this.#of(type)),
    ])
  }

  #tuple(type: Type): JsonSchema {
    const items = type.isTypeReference() ? this.#checker.getTypeArguments(type) : []
    const length = items.length
    return { type: 'array', prefixItems: items.map((item) => this.#of(item)), minItems: length, maxItems: length }
  }

  #object(type: Type): JsonSchema {
    const properties: Record<string, JsonSchema> = {}
    const required: Array<string> = []
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const found = this.#checker.getTypeOfSymbol(property)
      if (found === undefined || isLeftOut(found, this.#checker)) continue
      const description = this.#checker.getDocumentationCommentOfSymbol(property)
      properties[property.name] = { ...described(description), ...this.#of(found) }
      const members = found.isUnionType() ? found.getTypes() : [found]
      const isOptional = (property.flags & SymbolFlags.Optional) !== 0
      if (!isOptional && members.every(({ flags }) => (flags & TypeFlags.VoidLike) === 0)) required.push(property.name)
    }
    const [index] = this.#checker.getIndexInfosOfType(type)
    return {
      type: 'object',
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(index !== undefined && { additionalProperties: this.#of(index.valueType) }),
    }
  }
}

/** Returns true if JSON.stringify leaves the values of a type out: functions and undefined. */
function isLeftOut(type: Type, checker: Checker): boolean {
  return (type.flags & TypeFlags.VoidLike) !== 0 || checker.getSignaturesOfType(type, 0).length > 0
}

/** Returns the schema of a simple type; undefined for objects, unions and intersections. */
function simpleSchema(type: Type): JsonSchema | undefined {
  if (type.isLiteralType() && !type.isBigIntLiteralType()) return { const: type.value }
  const { flags } = type
  if (flags & TypeFlags.AnyOrUnknown) return {}
  if (flags & TypeFlags.StringLike) return { type: 'string' }
  if (flags & TypeFlags.NumberLike) return { type: 'number' }
  if (flags & TypeFlags.Boolean) return { type: 'boolean' }
  if (flags & TypeFlags.Null) return { type: 'null' }
  if (flags & (TypeFlags.Object | TypeFlags.UnionOrIntersection)) return undefined
  throw new Error(`JSON has no values of a type with flags ${flags}`)
}

function anyOf(schemas: ReadonlyArray<JsonSchema>): JsonSchema {
  const texts = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
  const [first = {}, ...others] = texts.values()
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}

function described(description: string): JsonSchema {
  return description === '' ? {} : { description: description.replaceAll(/\s*\n\s*/g, ' ') }
}

function parted<A>(all: ReadonlyArray<A>, is: (each: A) => boolean): readonly [ReadonlyArray<A>, ReadonlyArray<A>] {
  return [all.filter(is), all.filter((each) => !is(each))]
}

// Adds the meanings of metrics to the JSON Schemas of results: types have only the names of metrics, and the table of
// metrics has the meanings.

type Properties = Readonly<Record<string, JsonSchema>>

const inUnits: Readonly<Record<string, string>> = { share: ' A fraction of 1.', seconds: ' In seconds.' }

/** Meaning of every metric, by the path of the metric such as `wait.mean`. */
const meanings: ReadonlyMap<string, string> = new Map(
  metricList.map(({ name, meaning, unit }) => [name, meaning + (inUnits[unit] ?? '')]),
)
const firstNames = [...new Set(metricList.map(({ name }) => name.split('.')[0]))]

/** Returns a JSON Schema to which the meanings of metrics are added, in each object with the metrics of a run. */
export function withMeanings(schema: JsonSchema): JsonSchema {
  return everywhere(schema) as JsonSchema
}

function everywhere(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(everywhere)
  if (typeof value !== 'object' || value === null) return value
  const inside = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, everywhere(member)]))
  const properties = inside['properties'] as Properties | undefined
  const isRun = properties !== undefined && firstNames.every((name) => Object.hasOwn(properties, name))
  return isRun ? { ...inside, properties: explained(properties, '') } : inside
}

function explained(properties: Properties, above: string): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const path = above + name
      const description = meanings.get(path)
      if (description !== undefined) return [name, { ...field, description }]
      const inner = field['properties'] as Properties | undefined
      return [name, inner === undefined ? field : { ...field, properties: explained(inner, `${path}.`) }]
    }),
  )
}

// Writes a JSON Schema as tables for people, with a row for each field.

/** Returns a table of the fields of a JSON Schema, then a table for each definition of the JSON Schema. */
export function schemaTables({ $defs = {}, ...schema }: JsonSchema): string {
  const definitions = Object.entries($defs as Readonly<Record<string, JsonSchema>>)
  const tables = definitions.map(([name, definition]) => {
    const description = typeof definition['description'] === 'string' ? ` ${plain(definition['description'])}` : ''
    return `\n\`${name}\`:${description}\n\n${fields(definition)}`
  })
  return `${fields(schema)}${tables.join('')}`
}

/** Returns a table of the fields of values; for values without fields, their type in words. */
function fields(schema: JsonSchema): string {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return `\`${inWords(schema)}\`\n`
  return `| field | value | |\n|---|---|---|\n${rows.join('\n')}\n`
}

function rowsOf(schema: JsonSchema, path: string): ReadonlyArray<string> {
  const choices = schema['anyOf'] as ReadonlyArray<JsonSchema> | undefined
  if (choices !== undefined) return [...new Set(choices.flatMap((choice) => rowsOf(choice, path)))]
  if (schema['type'] === 'array') return rowsOf((schema['items'] ?? {}) as JsonSchema, `${path}[]`)
  const { properties = {}, required = [], additionalProperties } = schema as Parts
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`
    const optional = required.includes(name) ? '' : ', or absent'
    const description = typeof field['description'] === 'string' ? plain(field['description']) : ''
    return [`| ${code(at)} | ${code(inWords(field))}${optional} | ${description} |`, ...rowsOf(field, at)]
  })
  return typeof additionalProperties === 'object' ? [...own, ...rowsOf(additionalProperties, `${path}.*`)] : own
}

interface Parts {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | false
}

/** Describes a type in words: `list of string`, `number | null`. */
function inWords(schema: JsonSchema): string {
  const { $ref, anyOf, type, items, additionalProperties } = schema as {
    readonly $ref?: string
    readonly anyOf?: ReadonlyArray<JsonSchema>
    readonly type?: string
    readonly items?: JsonSchema
    readonly additionalProperties?: JsonSchema | false
  }
  if ($ref !== undefined) return $ref.replace(/^.*\//, '')
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(inWords))].join(' | ')
  if (type === 'array') return `list of ${inWords(items ?? {})}`
  if (type === 'object' && typeof additionalProperties === 'object') return `${inWords(additionalProperties)} by name`
  return type ?? 'any'
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

function plain(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
