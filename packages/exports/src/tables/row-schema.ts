import type { ColumnType, Table } from './table.ts'

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const ofTypes: Readonly<Record<ColumnType, JsonSchema>> = {
  bool: { type: 'boolean' },
  int32: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  int64: { type: 'integer' },
  float64: { type: 'number' },
  utf8: { type: 'string' },
  timestamp: { type: 'string', format: 'date-time' },
}

/** Returns the JSON Schema of a row of a table in NDJSON. A row has every column, and null for a missing value. */
export function rowSchema({ name, row, columns }: Table): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `A row of cloister export --table ${name} --to ndjson`,
    description: `Each row is ${row}.`,
    type: 'object',
    properties: Object.fromEntries(
      columns.map(({ name: column, type, nullable, unit, meaning }) => {
        const value = ofTypes[type]
        const description = unit === '' ? meaning : `${meaning}; in ${unit}`
        return [column, { description, ...value, ...(nullable && { type: [value['type'], 'null'] }) }]
      }),
    ),
    required: columns.map(({ name: column }) => column),
    additionalProperties: false,
  }
}
