// Makes the JSON Schemas of the site: results of commands with --json, the log, the tables of a log, and experiments.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type JsonSchema, rowSchema, tables } from '@cloister/exports'
import { type RunOptionName, runOptionNames, runOptions } from '@cloister/run'
import * as Schema from 'effect/Schema'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** Folder of the schemas on the site. */
export const SCHEMAS = 'schemas'

/** Returns the name of the JSON Schema of a command's result. */
export function schemaName(command: string): string {
  return command.replaceAll(' ', '-')
}

/** Returns all JSON Schemas of the site, as files. */
export async function schemaFiles(
  root: string,
  results: ReadonlyArray<CommandResult>,
): Promise<ReadonlyArray<readonly [file: string, text: string]>> {
  const all = [
    ...results.map(({ command, schema }) => [schemaName(command), schema] as const),
    ['experiment', experimentSchema()] as const,
    ['log', await logSchema(root)] as const,
    ['speed-series', await seriesSchema(root)] as const,
    ...tableSchemas().map(([name, schema]) => [`table-${name}`, schema] as const),
  ]
  return all.map(([name, schema]) => [`${SCHEMAS}/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`])
}

/** Returns the section of a page with links to JSON Schemas; an empty text for a page without a JSON Schema. */
export function schemaSection(path: string): string {
  const link = (text: string, name: string): string => `[${text}](../../${SCHEMAS}/${name}.schema.json)`
  if (path === 'reference/log/fields')
    return `\n## JSON Schema\n\nThe ${link('JSON Schema of a record', 'log')} describes a line of a log. The schema does not describe the rules between records, the spelling of idsets, or the seals.\n`
  if (path !== 'reference/log/tables') return ''
  const links = Object.keys(tables).map((name) => link(`\`${name}\``, `table-${name}`))
  return `\n## JSON Schemas\n\nA JSON Schema of each table describes a row in NDJSON: ${links.join(', ')}.\n`
}

/** The result that a command prints with `--json`. */
export interface CommandResult {
  /** Words of the command after `cloister`: `sweep merge`; `error` for the errors of all commands. */
  readonly command: string
  readonly schema: JsonSchema
}

/** Returns the results of all commands, from the schemas of apps/cli. The files are imported by their paths. */
export async function commandResults(root: string): Promise<ReadonlyArray<CommandResult>> {
  const { results } = (await schemasOfProgram(root, 'results')) as { readonly results: Record<string, Schema.Top> }
  return Object.entries(results).map(([command, schema]) => ({
    command,
    schema: jsonSchemaOf(titleOf(command), schema),
  }))
}

function schemasOfProgram(root: string, name: string): Promise<unknown> {
  return import(pathToFileURL(join(root, `apps/cli/src/results/${name}.ts`)).href)
}

function titleOf(command: string): string {
  return command === 'error' ? 'An error of any command with --json' : `cloister ${command} --json`
}

/** Returns the JSON Schema of a line of a log: a record. No JSON Schema has the rules between records. */
async function logSchema(root: string): Promise<JsonSchema> {
  const { WrittenRecord } = (await schemasOfProgram(root, 'records')) as { readonly WrittenRecord: Schema.Top }
  return jsonSchemaOf('A line of an event log: a record', WrittenRecord)
}

/** Returns the JSON Schema of a line of a file of `cloister bench --append`. */
async function seriesSchema(root: string): Promise<JsonSchema> {
  const { SpeedLine } = (await schemasOfProgram(root, 'speed-series')) as { readonly SpeedLine: Schema.Top }
  return jsonSchemaOf('A line of a file of cloister bench --append', SpeedLine)
}

/** Returns the JSON Schema of a row of each table of a log, by the name of the table. */
function tableSchemas(): ReadonlyArray<readonly [name: string, schema: JsonSchema]> {
  return Object.values(tables).map((table) => [table.name, rowSchema(table)])
}

/** Returns the JSON Schema of the values that a schema describes. */
function jsonSchemaOf(title: string, schema: Schema.Top): JsonSchema {
  const { schema: whole, definitions } = Schema.toJsonSchemaDocument(schema)
  const $defs = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    $schema: DIALECT,
    title,
    ...(plain(whole) as JsonSchema),
    ...(Object.keys($defs).length > 0 && { $defs: plain($defs) }),
  }
}

/**
 * Returns a JSON Schema with the same meaning and fewer keywords. Descriptions and bounds in `allOf` move to the schema
 * around the `allOf`. `additionalProperties: true` is the default, and goes.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const { additionalProperties, ...rest } = merged(merged(value as JsonSchema, 'allOf'), 'anyOf')
  const kept =
    additionalProperties === undefined || additionalProperties === true ? rest : { ...rest, additionalProperties }
  return Object.fromEntries(Object.entries(kept).map(([key, member]) => [key, plain(member)]))
}

/** Merges the members of `allOf`, or the single member of `anyOf`, unless two of the parts have the same keyword. */
function merged(schema: JsonSchema, keyword: 'allOf' | 'anyOf'): JsonSchema {
  const { [keyword]: members, ...rest } = schema
  if (!Array.isArray(members) || (keyword === 'anyOf' && members.length > 1)) return schema
  const parts: ReadonlyArray<JsonSchema> = [rest, ...members]
  const keywords = parts.flatMap((part) => Object.keys(part))
  return new Set(keywords).size === keywords.length ? Object.assign({}, ...parts) : schema
}

// Makes the JSON Schema of the file of an experiment from the table of run options.

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
    $schema: DIALECT,
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
