// Writes a JSON Schema as tables for people, with a row for each field.
import type { JsonSchema } from '@cloister/exports'

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
