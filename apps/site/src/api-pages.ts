// The TypeScript API of all published packages: a page for each module that users may import.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type ApiEntry, type ApiPage, apiPages } from '@cloister/api-reference'
import type { Chapter, Page } from './page.ts'

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
