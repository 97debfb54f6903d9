import type { StandardJSONSchemaV1 } from '@standard-schema/spec'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as Schema from 'effect/Schema'
import type { GenericSchema } from 'valibot'
import type { AnyPolicy } from './services.ts'

/** Description of one field of a policy's configuration. */
export interface PolicyOption {
  readonly name: string
  /** Type of the field in words: `"a" | "b"`, `boolean`, `integer > 0`, `list of integer`, or `any` without a type. */
  readonly type: string
  /** Default of the field as a JSON value, absent if the field has no default. */
  readonly default?: unknown
  readonly required: boolean
  readonly description?: string
}

type JsonSchema = Readonly<Record<string, any>>
const draft = { target: 'draft-2020-12' } as const

/** Returns the fields of a policy's configuration, or undefined if no JSON Schema follows from the policy's schema. */
export function policyOptions({ config }: AnyPolicy): ReadonlyArray<PolicyOption> | undefined {
  const schema = jsonSchemaOf(config)
  if (schema === undefined) return undefined
  const defaults = defaultsOf(config)
  const required: ReadonlyArray<string> = schema['required'] ?? []
  return Object.entries<JsonSchema>(schema['properties'] ?? {}).map(([name, property]) => ({
    name,
    type: typeInWords(property, schema),
    ...(name in defaults ? { default: defaults[name] } : {}),
    required: required.includes(name),
    ...(typeof property['description'] === 'string' ? { description: property['description'] } : {}),
  }))
}

/**
 * Returns the JSON Schema of a config. This package converts schemas of valibot and Effect, so policies carry no
 * converter into a browser: the converter of valibot has 13 kB, and a policy needs 3 to 6 kB of valibot.
 */
function jsonSchemaOf(config: AnyPolicy['config']): JsonSchema | undefined {
  const standard: Partial<StandardJSONSchemaV1.Props> = config['~standard']
  try {
    if (standard.jsonSchema !== undefined) return standard.jsonSchema.input(draft)
    // The converter ignores checks without a JSON Schema, such as rules about several fields.
    if (config['~standard'].vendor === 'valibot')
      return toJsonSchema(config as AnyPolicy['config'] & GenericSchema, {
        ...draft,
        typeMode: 'input',
        errorMode: 'ignore',
      })
    if (!Schema.isSchema(config)) return undefined
    const converted = Schema.toStandardJSONSchemaV1(Schema.make(config.ast))
    return converted['~standard'].jsonSchema.input(draft)
  } catch {
    // The schema's library may lack JSON Schema 2020-12, or the schema may have a type without a JSON Schema.
    return undefined
  }
}

function defaultsOf(config: AnyPolicy['config']): Readonly<Record<string, unknown>> {
  const result = config['~standard'].validate({})
  if (result instanceof Promise || result.issues !== undefined) return {}
  return typeof result.value === 'object' && result.value !== null ? result.value : {}
}

function typeInWords(schema: JsonSchema, root: JsonSchema): string {
  if (typeof schema['$ref'] === 'string') return typeInWords(referenced(schema['$ref'], root), root)
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return choices.map((choice) => typeInWords(choice, root)).join(' | ')
  switch (schema['type']) {
    case 'array':
      return `list of ${typeInWords(schema['items'] ?? {}, root)}`
    case 'object':
      return objectInWords(schema, root)
    case 'integer':
    case 'number':
      return [schema['type'], ...bounds(schema)].join(' ')
    default:
      return typeof schema['type'] === 'string' ? schema['type'] : 'any'
  }
}

function objectInWords({ properties = {}, required = [] }: JsonSchema, root: JsonSchema): string {
  const fields = Object.entries<JsonSchema>(properties).map(
    ([name, property]) => `${name}${required.includes(name) ? '' : '?'}: ${typeInWords(property, root)}`,
  )
  return fields.length === 0 ? 'object' : `{ ${fields.join(', ')} }`
}

function bounds({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonSchema): ReadonlyArray<string> {
  return [
    ...(exclusiveMinimum === undefined ? [] : [`> ${exclusiveMinimum}`]),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? [] : [`>= ${minimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`< ${exclusiveMaximum}`]),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`<= ${maximum}`]),
  ]
}

function referenced(path: string, root: JsonSchema): JsonSchema {
  const keys = path.replace(/^#\//, '').split('/')
  return keys.reduce((schema: JsonSchema | undefined, key) => schema?.[key], root) ?? {}
}
