// Makes the JSON Schemas of the results of commands with --json from the types of the arguments of `print`.
import { type RunOptionName, runOptionNames, runOptions } from '@cloister/run'
import { Schema } from 'effect'
import { type CallExpression, type Node, SyntaxKind } from 'typescript/unstable/ast'
import type { Type } from 'typescript/unstable/sync'
import { sourcesIn, type TypeScriptProgram, visit } from './contract.ts'
import { type JsonSchema, JsonSchemas, withMeanings } from './json-schema.ts'

const SOURCES = 'apps/cli/src'

/** Functions of apps/cli that print results, by command, and the function for errors of all commands. Each call of `print` for JSON is in one of these functions. */
const printers: Readonly<Record<string, ReadonlyArray<string>>> = {
  demo: ['demonstratePolicies'],
  simulate: ['simulateFlags'],
  metrics: ['measureLogs'],
  audit: ['auditLogs'],
  state: ['showState'],
  query: ['listQueries', 'queryLog'],
  capacity: ['showMoment', 'showSeries'],
  rerun: ['repeat', 'rerunLog', 'repeatUntil'],
  explain: ['explainJob'],
  extract: ['extractTest'],
  diff: ['compareLogFiles'],
  view: ['serveViewer'],
  plot: ['plotFiles'],
  export: ['exportLog', 'exportMoment'],
  sign: ['signLog'],
  verify: ['verifyLog'],
  'import slurm': ['importHistory'],
  'observe slurm': ['observeCluster'],
  'drive slurm': ['drivePartition'],
  'drive watchdog': ['watchLease'],
  'trace info': ['describeTrace'],
  'topology show': ['showTopology'],
  'policy list': ['listPolicies'],
  'policy show': ['showPolicy'],
  'policy test': ['testPolicy'],
  'router list': ['listRouters'],
  'router show': ['showRouter'],
  'router test': ['testRouter'],
  'order list': ['listOrders'],
  'order show': ['showOrder'],
  'order test': ['testOrder'],
  sweep: ['sweepHere', 'sayOutcome', 'sweepVerify'],
  'sweep merge': ['mergeSweep'],
  'sweep status': ['showStatus'],
  'sweep report': ['reportSweep'],
  reproduce: ['reproduceAll', 'printExperiment', 'list', 'sayOutcome'],
  calibrate: ['calibrateTrace'],
  interference: ['showInterference'],
  fuzz: ['fuzzPolicies', 'fuzzLogs', 'forgeLogs'],
  minimise: ['minimiseRun', 'soundRun'],
  bench: ['timePolicies'],
  error: ['printError'],
}

/** The result that a command prints with `--json`. */
export interface CommandResult {
  /** Words of the command after `cloister`: `sweep merge`. */
  readonly command: string
  readonly schema: JsonSchema
}

/**
 * Returns the results of all commands.
 *
 * @throws Error if a function in `printers` prints no result, or if a function not in `printers` prints a result
 */
export function commandResults(root: string, program: TypeScriptProgram): ReadonlyArray<CommandResult> {
  const printed = printedTypes(root, program)
  const schemas = new JsonSchemas(program.checker)
  const results = Object.entries(printers).map(([command, functions]) => {
    const types = functions.flatMap((name) => printed.get(name) ?? [])
    if (types.length < functions.length)
      throw new Error(`${command}: one of ${functions.join(', ')} prints no result; correct the list \`printers\``)
    return { command, schema: withMeanings(schemas.document(titleOf(command), types)) }
  })
  const known = new Set(Object.values(printers).flat())
  const unknown = [...printed.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new Error(
      `${SOURCES}: ${unknown.join(', ')} print results, and no command is known that uses these functions`,
    )
  return results
}

function titleOf(command: string): string {
  return command === 'error' ? 'An error of any command with --json' : `cloister ${command} --json`
}

function printedTypes(root: string, { checker, file }: TypeScriptProgram): Map<string, ReadonlyArray<Type>> {
  const types = new Map<string, ReadonlyArray<Type>>()
  for (const source of sourcesIn(root, SOURCES)) {
    for (const statement of file(source).statements) {
      visit(statement, (node) => {
        if (!isPrint(node)) return
        const type = checker.getTypeAtLocation(node.arguments[1])
        const name = nameOf(statement)
        if (type !== undefined) types.set(name, [...(types.get(name) ?? []), type])
      })
    }
  }
  return types
}

/** Returns true for a call of `print` that may print JSON: with `false` as first argument, `print` never does. */
function isPrint(node: Node): node is CallExpression {
  if (node.kind !== SyntaxKind.CallExpression) return false
  const call = node as CallExpression
  return call.expression.getText() === 'print' && call.arguments[0].kind !== SyntaxKind.FalseKeyword
}

function nameOf(statement: Node): string {
  let name: string | undefined
  visit(statement, (node) => {
    if (node.kind === SyntaxKind.Identifier) name ??= node.getText()
  })
  return name ?? ''
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
