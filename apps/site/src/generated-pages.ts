// Makes pages without a document from the program's own help.
import { type ApiEntry, type ApiPage, apiPages } from '@cloister/api-reference'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Chapter, Page } from './documents.ts'
import { type CommandResult, experimentSchema } from './types/command-results.ts'
import { type JsonSchema, schemaTables } from './types/json-schema.ts'

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
const SCHEMAS = 'schemas'

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

// The TypeScript API of all published packages: a page for each module that users may import.

const FOLDER = 'reference/api'

/** The pages of the TypeScript API, and for each package a section with the names that it exports. */
export interface Api {
  readonly chapter: Chapter
  /** Returns a section with the exported names of a package's modules; an empty text if no module is published. */
  readonly namesOf: (packageName: string) => string
}

/** Makes the pages of the TypeScript API. @param scratch folder for temporary files */
export async function apiOf(root: string, repository: string | undefined, scratch: string): Promise<Api> {
  const pages = await apiPages({ root, entries: publishedEntries(root), repository, scratch })
  return {
    chapter: { title: 'TypeScript', pages: pages.map(pageOf) },
    namesOf: (packageName) => namesSection(pages.filter(({ specifier }) => isOf(packageName, specifier))),
  }
}

/** Returns the modules of published packages: policies last, else in the order of the packages' folders. */
export function publishedEntries(root: string): ReadonlyArray<ApiEntry> {
  const manifests = globSync('{packages/*,packages/policies/*,apps/*}/package.json', { cwd: root })
  return manifests.sort(byFolder).flatMap((path) => entriesOf(join(root, path)))
}

function byFolder(a: string, b: string): number {
  const isPolicy = (path: string): number => Number(path.startsWith('packages/policies/'))
  return isPolicy(a) - isPolicy(b) || (basename(dirname(a)) < basename(dirname(b)) ? -1 : 1)
}

function entriesOf(path: string): ReadonlyArray<ApiEntry> {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly name: string
    readonly private?: boolean
    readonly exports?: { readonly [entry: string]: string | { readonly '@cloister/source'?: string } }
  }
  if (manifest.private === true) return []
  return Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) => {
    const source = typeof target === 'string' ? undefined : target['@cloister/source']
    // Modules outside of `src` serve the tests of other packages, and have no page.
    if (source?.startsWith('./src/') !== true) return []
    return [{ specifier: manifest.name + entry.slice(1), source: join(dirname(path), source) }]
  })
}

function isOf(packageName: string, specifier: string | undefined): boolean {
  return specifier === packageName || specifier?.startsWith(`${packageName}/`) === true
}

function pageOf({ path, specifier, markdown }: ApiPage): Page {
  return { path: `${FOLDER}/${path}`, name: specifier?.replace('@cloister/', '') ?? 'All modules', markdown }
}

function namesSection(pages: ReadonlyArray<ApiPage>): string {
  if (pages.length === 0) return ''
  const tables = pages.map(({ specifier, names }) => {
    const rows = names.map(({ name, link, about }) => `| [\`${name}\`](../api/${link}) | ${inCell(about)} |`)
    return `From \`${specifier}\`:\n\n| name | what it is |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `\n## Public names\n\n${tables.join('\n')}`
}

function inCell(markdown: string): string {
  return markdown
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
}
