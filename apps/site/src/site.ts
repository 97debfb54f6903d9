// Writes the site's pages as input of VitePress, and builds the site.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vitepress'
import { commandChapters } from './command-pages.ts'
import { type Api, apiOf, policySection } from './generated-pages.ts'
import { buildPlayground } from './build-playground.ts'
import { type Chapter, documentChapters, type DocumentPage, type Page, pagesOf, startPage } from './documents.ts'
import { commandResults, schemaFiles, schemaSection } from './json-schemas.ts'
import { HTML, KITS, PICTURES, RUN, STAGE, stageBlock, type Targets, withLinks } from './links.ts'
import { figuresPage, outputFiles, storedOutputs, withResults } from './paper-pages.ts'
import { withRun, writePaperRuns, writeRun } from './paper-runs.ts'
import { speedSection } from './speed-charts.ts'
import { startRun } from './start-picture.ts'
import { contractDeclarations, contractTypes } from './policy-contract.ts'

interface SiteOptions {
  /** Root of the repository. */
  readonly root: string
  /** Address of the public repository, for example https://example.org/cloister; undefined if there is none. */
  readonly repository: string | undefined
}

const app = join(import.meta.dirname, '..')
/** Folder of the pages that VitePress reads. */
const sources = join(app, 'dist/pages')
/** Folder of the built site. */
export const siteFolder: string = join(app, 'dist/site')

/** Builds the site into `siteFolder`. @returns number of pages */
export async function buildSite(options: SiteOptions): Promise<number> {
  rmSync(join(app, 'dist'), { recursive: true, force: true })
  const api = await apiOf(options.root, options.repository, join(app, 'dist/api'))
  const { log, picture } = await startRun()
  const chapters = await writePages(options, api, picture)
  const types = contractTypes(options.root)
  writeFileSync(join(sources, 'chapters.json'), JSON.stringify(chapters))
  await build(app, { outDir: siteFolder })
  const declarations = contractDeclarations(options.root, join(app, 'dist/types'))
  await buildPlayground(options.root, join(siteFolder, 'playground'), { types, declarations })
  writeRun(siteFolder, 'start', 'The run of the first page', log)
  await writePaperRuns(options.root, siteFolder, join(app, 'dist/matrices'))
  return chapters.reduce((sum, { pages }) => sum + pages.length, 1)
}

/** A chapter in the list of pages beside every page. */
export interface ListedChapter {
  readonly title: string
  readonly pages: ReadonlyArray<Pick<Page, 'path' | 'name'>>
}

async function writePages(
  { root, repository }: SiteOptions,
  api: Api,
  picture: string,
): Promise<ReadonlyArray<ListedChapter>> {
  const documents = documentChapters(root)
  const start = startPage(root)
  const staged = start.markdown.replace(/^!\[(.*)\]\(\.\.\/src\/start-picture\.ts\)$/m, (_, what: string) =>
    stageBlock('start', what, picture),
  )
  const shown = [{ ...start, markdown: staged }, ...documents.flatMap(({ pages }) => pages)]
  const targets: Targets = { root, pages: pagesOf(shown), repository }
  const outputs = storedOutputs(root)
  for (const page of shown) {
    const { markdown, pictures } = withLinks(page, targets)
    const withRuns = withRun(page.path, withResults(page.path, markdown, outputs))
    writePage(page.path, withRuns + (await generatedSections(root, page, api)))
    for (const file of pictures) cpSync(join(root, file), join(sources, 'public', PICTURES, file))
  }
  for (const kits of KITS) cpSync(join(root, kits), join(sources, 'public/kits'), { recursive: true })
  const results = await commandResults(root)
  for (const [file, text] of await schemaFiles(root, results)) write(join(sources, 'public', file), text)
  const commands = await commandChapters(root, results)
  for (const { pages: made } of [...commands, api.chapter])
    for (const { path, markdown } of made) writePage(path, markdown)
  const [tutorials, papers, ...others]: ReadonlyArray<Chapter> = documents
  const figures = figuresPage(papers.pages, outputs)
  writePage(figures.path, figures.markdown)
  for (const [file, text] of outputFiles(outputs)) write(join(sources, 'public', file), text)
  const withFigures = { ...papers, pages: papers.pages.toSpliced(1, 0, figures) }
  return [tutorials, withFigures, ...others, ...commands, api.chapter].map(listed)
}

function listed({ title, pages }: Chapter): ListedChapter {
  return { title, pages: pages.map(({ path, name }) => ({ path, name })) }
}

async function generatedSections(root: string, { path, name, document }: DocumentPage, api: Api): Promise<string> {
  if (path.startsWith('reference/log/')) return schemaSection(path)
  if (path === 'project/speed') return speedSection(root)
  const manifest = join(root, dirname(document), 'package.json')
  if (!path.startsWith('reference/') || !document.endsWith('README.md') || !existsSync(manifest)) return ''
  const options = path.startsWith('reference/policies/') ? await policySection(root, name) : ''
  return options + api.namesOf((JSON.parse(readFileSync(manifest, 'utf8')) as { readonly name: string }).name)
}

function writePage(path: string, markdown: string): void {
  write(join(sources, `${path}.md`), withLanguages(markdown))
}

/**
 * Leaves only the language in the first line of a block of code. Blocks in other languages, such as sessions and logs,
 * become plain text, because their colours would take longer than the rest of the build.
 */
function withLanguages(markdown: string): string {
  return markdown.replaceAll(/^```([\w-]+).*$/gm, (_, language: string) =>
    ['ts', 'json', 'sh', 'diff', RUN, STAGE, HTML].includes(language) ? `\`\`\`${language}` : '```txt',
  )
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
