// Writes the site's pages as input of VitePress, and builds the site.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vitepress'
import { type Api, apiOf, commandChapter, policySection, schemaFiles } from './generated-pages.ts'
import { buildPlayground } from './build-playground.ts'
import { type Chapter, documentChapters, type DocumentPage, type Page, startPage } from './documents.ts'
import { pictureFile, PICTURES, type Targets, withLinks } from './links.ts'
import { figuresPage, HTML, outputFiles, storedOutputs, withResults } from './paper-pages.ts'
import { withRun, writePaperRuns } from './paper-runs.ts'
import { startPicture } from './start-picture.ts'
import { addMissingCopies, makePortable } from './portable-base.ts'
import { commandResults } from './types/command-results.ts'
import { contractDeclarations, contractTypes, openProgram, type TypeScriptProgram } from './types/contract.ts'

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
  const program = openProgram(options.root, join(app, 'dist/types'))
  const api = await apiOf(options.root, options.repository, join(app, 'dist/api'))
  const chapters = await writePages(options, api, program)
  const types = contractTypes(program)
  program.close()
  writeFileSync(join(sources, 'chapters.json'), JSON.stringify(chapters))
  await build(app, { outDir: siteFolder })
  addMissingCopies(siteFolder)
  makePortable(siteFolder)
  const declarations = contractDeclarations(options.root, join(app, 'dist/types'))
  await buildPlayground(options.root, join(siteFolder, 'playground'), { types, declarations })
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
  program: TypeScriptProgram,
): Promise<ReadonlyArray<ListedChapter>> {
  const documents = documentChapters(root)
  const start = startPage(root)
  const shown = [start, ...documents.flatMap(({ pages }) => pages)]
  const pages = new Map(shown.filter(({ isWhole }) => isWhole).map(({ document, path }) => [document, path]))
  const targets: Targets = { root, pages, repository }
  const outputs = storedOutputs(root)
  for (const page of shown) {
    const { markdown, pictures } = withLinks(page, targets)
    const results = withResults(page.path, markdown, outputs)
    writePage(page.path, withRun(page.path, results) + (await generatedSections(root, page, api)))
    for (const picture of pictures) await addPicture(root, picture)
  }
  const results = commandResults(root, program)
  for (const [file, text] of schemaFiles(results)) write(join(sources, 'public', file), text)
  const commands = await commandChapter(root, results)
  for (const page of [...commands.pages, ...api.chapter.pages]) writePage(page.path, page.markdown)
  const [tutorials, papers, project, ...others]: ReadonlyArray<Chapter> = documents
  const figures = figuresPage(papers.pages, outputs)
  writePage(figures.path, figures.markdown)
  for (const [file, text] of outputFiles(outputs)) write(join(sources, 'public', file), text)
  const withFigures = { ...papers, pages: papers.pages.toSpliced(1, 0, figures) }
  return [tutorials, withFigures, project, commands, ...others, api.chapter].map(listed)
}

function listed({ title, pages }: Chapter): ListedChapter {
  return { title, pages: pages.map(({ path, name }) => ({ path, name })) }
}

async function generatedSections(root: string, { path, name, document }: DocumentPage, api: Api): Promise<string> {
  const manifest = join(root, dirname(document), 'package.json')
  if (!path.startsWith('reference/') || !existsSync(manifest)) return ''
  const options = path.startsWith('reference/policies/') ? await policySection(root, name) : ''
  return options + api.namesOf((JSON.parse(readFileSync(manifest, 'utf8')) as { readonly name: string }).name)
}

async function addPicture(root: string, picture: string): Promise<void> {
  const file = join(sources, 'public', PICTURES, pictureFile(picture))
  if (picture.endsWith('.ts')) write(file, await startPicture())
  else cpSync(join(root, picture), file)
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
    ['ts', 'json', 'sh', 'diff', 'run', HTML].includes(language) ? `\`\`\`${language}` : '```txt',
  )
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
