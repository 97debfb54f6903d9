// Makes the sections of policies' options, and the pages of the TypeScript API.
import { type ApiEntry, type ApiName, type ApiPage, apiPages } from '@cloister/api-reference'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { reference } from './command-pages.ts'
import type { Chapter, Page } from './documents.ts'

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
  return `\n## Options and claims\n\n\`cloister policy show ${name}\` prints:\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`
}

// The TypeScript API of all published packages: a page for each module that users may import.

const FOLDER = 'reference/api'

/** The pages of the TypeScript API, and for each package a section with the names that it exports. */
export interface Api {
  readonly chapter: Chapter
  /** Returns a section with the exported names of a package's modules; an empty text if no module is published. */
  readonly namesOf: (packageName: string) => string
}

/** Makes the pages of the TypeScript API, the policy contract first. @param scratch folder for temporary files */
export async function apiOf(root: string, repository: string | undefined, scratch: string): Promise<Api> {
  const entries = publishedEntries(root)
  const [index, ...modules] = await apiPages({ root, entries, repository, scratch })
  const order = entries.map(({ specifier }) => specifier)
  const rank = ({ specifier = '' }: ApiPage): number => (specifier === CONTRACT ? -1 : order.indexOf(specifier))
  const pages = modules.toSorted((a, b) => rank(a) - rank(b))
  return {
    chapter: { title: 'TypeScript', pages: [{ ...pageOf(index), markdown: indexOf(pages) }, ...pages.map(pageOf)] },
    namesOf: (packageName) => namesSection(pages.filter(({ specifier }) => isOf(packageName, specifier))),
  }
}

/** Module of the policy contract. */
const CONTRACT = '@cloister/placement'

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

function indexOf(pages: ReadonlyArray<ApiPage>): string {
  const rows = pages.map(({ path, specifier, names }) => {
    const some = names.slice(0, 4).map(({ name }) => `\`${name}\``)
    const more = names.length > some.length ? `, and ${names.length - some.length} more` : ''
    return `| [\`${specifier}\`](${path}.md) | ${some.join(', ')}${more} |`
  })
  return `# The TypeScript API\n\nA policy needs only the first module, the policy contract.\n\n| module | names |\n|---|---|\n${rows.join('\n')}\n`
}

function pageOf({ path, specifier, names, markdown }: ApiPage): Page {
  return {
    path: `${FOLDER}/${path}`,
    name: specifier?.replace('@cloister/', '') ?? 'All modules',
    markdown: withSummaries(markdown, names),
  }
}

/** Heading of an exported name on a page of the API. */
const NAME = /^### (?:abstract )?(\S+?)(?:\\<.*)?(?:\(\))?\?? \{#(\S+)\}$/gm

/** Adds a list of all names below the title, and a summary below the heading of each name. */
function withSummaries(markdown: string, names: ReadonlyArray<ApiName>): string {
  const about = new Map(names.map((name) => [name.name, inCell(name.about)]))
  const links = [...markdown.matchAll(NAME)].map(([, name, id]) => `[\`${unescaped(name)}\`](#${id})`)
  return markdown
    .replaceAll(
      NAME,
      (heading, name: string) => `${heading}\n\n${about.get(unescaped(name)) || 'Default export of the module.'}`,
    )
    .replace('\n', `\n\n${links.length} names: ${links.join(' · ')}\n`)
}

function unescaped(name: string): string {
  return name.replaceAll('\\', '')
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
