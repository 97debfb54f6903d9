// Makes the JSON Schema of the file of an experiment from the table of run options.
import { type RunOptionName, runOptionNames, runOptions } from '@cloister/run'
import { Schema } from 'effect'
import type { JsonSchema } from './json-schema.ts'

/** Returns the JSON Schema of the file of an experiment. Each option in a cell has a value or a list of values. */
export function experimentSchema(): JsonSchema {
  const required = runOptionNames.filter((name) => runOptions[name].presence === 'required')
  const cell = {
    type: 'object',
    properties: Object.fromEntries(runOptionNames.map((name) => [name, optionSchema(name)])),
    required,
    additionalProperties: false,
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The file of an experiment, for cloister sweep',
    type: 'object',
    properties: {
      cells: {
        description: 'A cell stands for one run for each combination of the values of the fields of the cell.',
        type: 'array',
        items: cell,
        minItems: 1,
      },
      note: { description: 'Text for readers. No command uses the text.', type: 'string' },
    },
    required: ['cells'],
    additionalProperties: false,
  }
}

function optionSchema(name: RunOptionName): JsonSchema {
  const { help, schema, byDefault } = runOptions[name] as {
    readonly help: string
    readonly schema: Schema.Codec<unknown>
    readonly byDefault?: unknown
  }
  const value = Schema.toStandardJSONSchemaV1(schema)['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  const { $schema: _same, ...one } = value as JsonSchema
  const values = name === 'policy' ? { anyOf: [one, configuredPolicy] } : one
  return {
    description: help,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    anyOf: [values, { type: 'array', items: values, minItems: 1 }],
  }
}

const configuredPolicy: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, config: { type: 'object' } },
  required: ['name'],
  additionalProperties: false,
}
