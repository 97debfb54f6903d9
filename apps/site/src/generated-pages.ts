// Makes pages without a document from the program's own help.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Chapter, Page } from './page.ts'
import type { CommandResult } from './types/command-results.ts'
import { experimentSchema } from './types/experiment-schema.ts'
import type { JsonSchema } from './types/json-schema.ts'
import { schemaTables } from './types/schema-tables.ts'

/** Exports of apps/cli/src/reference.ts, which describes the commands. The file is imported by its path. */
interface Reference {
  readonly commandHelp: () => Promise<ReadonlyArray<{ readonly command: string; readonly text: string }>>
  readonly shownPolicy: (policy: {
    readonly name: string
    readonly version: string
    readonly description: string
    readonly load: () => Promise<unknown>
    readonly readme: () => Promise<string>
  }) => Promise<string>
}

async function reference(root: string): Promise<Reference> {
  return (await import(pathToFileURL(join(root, 'apps/cli/src/reference.ts')).href)) as Reference
}

/** Folder of the schemas on the site. */
export const SCHEMAS = 'schemas'

/** Returns a page for each command, with its subcommands and the JSON Schemas of the results of `--json`. */
export async function commandChapter(root: string, results: ReadonlyArray<CommandResult>): Promise<Chapter> {
  const helps = await (await reference(root)).commandHelp()
  const section = (command: string, text: string): string => helpBlock(text) + resultOf(command, results)
  const pages = helps
    .filter(({ command }) => !command.includes(' '))
    .map(({ command, text }): Page => {
      const inner = helps.filter((help) => command !== '' && help.command.startsWith(`${command} `))
      return {
        path: `reference/cli/${command || 'index'}`,
        name: command || 'cloister',
        markdown: `# ${`cloister ${command}`.trim()}\n\n${section(command, text)}${inner.map((help) => `\n## cloister ${help.command}\n\n${section(help.command, help.text)}`).join('')}`,
      }
    })
  return { title: 'Commands', pages }
}

function resultOf(command: string, results: ReadonlyArray<CommandResult>): string {
  const found = results.find((result) => result.command === command)
  if (found === undefined) return ''
  const level = command.includes(' ') ? '###' : '##'
  const experiment =
    command === 'sweep' ? `\n${level} The file of an experiment\n\n${tables(experimentSchema(), 'experiment')}` : ''
  return `\n${level} What --json prints${command.includes(' ') ? ` (${command})` : ''}\n\n${tables(found.schema, schemaName(command))}${experiment}`
}

function tables(schema: JsonSchema, name: string): string {
  return `As [JSON Schema](../../${SCHEMAS}/${name}.schema.json), and in words:\n\n${schemaTables(schema)}`
}

/** Returns the JSON Schemas of all results and of the file of an experiment, as files. */
export function schemaFiles(
  results: ReadonlyArray<CommandResult>,
): ReadonlyArray<readonly [file: string, text: string]> {
  const all = results.map(({ command, schema }) => [schemaName(command), schema] as const)
  return [...all, ['experiment', experimentSchema()] as const].map(([name, schema]) => [
    `${SCHEMAS}/${name}.schema.json`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ])
}

function schemaName(command: string): string {
  return command.replaceAll(' ', '-')
}

function helpBlock(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`
}

/** Returns the output of `cloister policy show` as a section of the policy's page. */
export async function policySection(root: string, name: string): Promise<string> {
  const folder = join(root, 'packages/policies', name)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    'version' | 'description',
    string
  >
  const text = await (
    await reference(root)
  ).shownPolicy({
    name,
    version: manifest.version,
    description: manifest.description,
    load: async () =>
      ((await import(pathToFileURL(join(folder, 'src/index.ts')).href)) as { readonly default: unknown }).default,
    readme: async () => readFileSync(join(folder, 'README.md'), 'utf8'),
  })
  return `\n## Options and claims\n\n\`cloister policy show ${name}\` prints:\n\n${helpBlock(text)}`
}
