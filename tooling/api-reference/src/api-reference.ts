// Makes Markdown of all exported names by TypeDoc, which needs a compiler no newer than TypeScript 6.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  Application,
  type DeclarationReflection,
  LogLevel,
  type ParameterReflection,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  TSConfigReader,
  type TypeDocOptions,
} from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { withOwnIds, withoutLostLinks } from './headings.ts'

/** Public module of a package, for a page of the TypeScript API. */
export interface ApiEntry {
  /** Specifier in imports: `@cloister/eventlog/node`. */
  readonly specifier: string
  readonly source: string
}

/** Page of Markdown for a module or for the list of all modules, with links between pages. */
export interface ApiPage {
  /** Path among the pages, without an extension: `eventlog/node`; `index` for the list of all modules. */
  readonly path: string
  /** Module of the page; undefined for the list of all modules. */
  readonly specifier: string | undefined
  readonly markdown: string
  /** Exported names of the module, in alphabetical order; a default export has no name. */
  readonly names: ReadonlyArray<ApiName>
}

/** Exported name of a module. */
export interface ApiName {
  readonly name: string
  /** Description in Markdown: the beginning of the docstring, or for a re-exported name its module of origin. */
  readonly about: string
  /** Link to the name's heading: `topology.md#parsetopology`. */
  readonly link: string
}

/** Inputs of `apiPages`. */
export interface ApiSources {
  /** Folder of the repository: pages name source files by paths from this folder. */
  readonly root: string
  readonly entries: ReadonlyArray<ApiEntry>
  /** Public address of the repository; if undefined, pages name source files without links. */
  readonly repository: string | undefined
  /** Folder for intermediate files. */
  readonly scratch: string
}

/**
 * Returns a page for each entry, and the page that lists all entries.
 * @throws Error if TypeDoc complains, for example of a link without a target; TypeDoc prints the complaint
 */
export async function apiPages(sources: ApiSources): Promise<ReadonlyArray<ApiPage>> {
  const app = await Application.bootstrapWithPlugins(optionsFor(sources), [new TSConfigReader()])
  const project = await app.convert()
  if (project !== undefined) app.validate(project)
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('TypeDoc reports problems in the exports of packages: see the messages above')
  nameModules(project, sources.entries)
  nameParameters(project)
  keepSources(project, sources.repository !== undefined)
  const links = new Map<Reflection, string>()
  // Addresses are collected in this callback, because TypeDoc forgets the addresses of written pages.
  app.renderer.postRenderAsyncJobs.push(async () => {
    for (const reflection of Object.values(project.reflections)) {
      const { router } = app.renderer
      if (router?.hasUrl(reflection) === true) links.set(reflection, router.getFullUrl(reflection))
    }
  })
  await app.generateOutputs(project)
  return withoutLostLinks([project, ...modulesOf(project)].map((each) => pageOf(each, links, sources)))
}

function pageOf(
  subject: ProjectReflection | DeclarationReflection,
  links: ReadonlyMap<Reflection, string>,
  { scratch }: ApiSources,
): ApiPage {
  const path = links.get(subject)!.replace(/\.md$/, '')
  const isModule = subject.kindOf(ReflectionKind.Module)
  return {
    path,
    specifier: isModule ? subject.name : undefined,
    markdown: withOwnIds(readFileSync(join(pagesIn(scratch), `${path}.md`), 'utf8')),
    names: isModule ? namesOf(subject, links) : [],
  }
}

function pagesIn(scratch: string): string {
  return join(scratch, 'pages')
}

function optionsFor({ root, entries, repository, scratch }: ApiSources): TypeDocOptions & Partial<PluginOptions> {
  const files = entries.map(({ source }) => relative(scratch, source))
  const configuration = join(scratch, 'tsconfig.json')
  mkdirSync(scratch, { recursive: true })
  writeFileSync(
    configuration,
    JSON.stringify({ extends: join(relative(scratch, root), 'tsconfig.base.json'), compilerOptions, files }),
  )
  return {
    name: 'The TypeScript API',
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: entries.map(({ source }) => source),
    tsconfig: configuration,
    // The workspace's newer compiler checks the types.
    skipErrorChecking: true,
    excludeExternals: true,
    excludePrivate: true,
    readme: 'none',
    logLevel: LogLevel.Warn,
    // Pages show a type without an export at each use, so TypeDoc need not complain.
    validation: { notExported: false, notDocumented: false, invalidLink: true, rewrittenLink: true },
    basePath: root,
    displayBasePath: root,
    disableGit: true,
    sourceLinkTemplate: `${repository ?? 'file:'}/blob/main/{path}#L{line}`,
    out: pagesIn(scratch),
    router: 'module',
    entryFileName: 'index',
    excludeScopesInPaths: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    pageTitleTemplates: { index: '{projectName}', module: '{name}', member: '{name}' },
    useCodeBlocks: true,
    expandParameters: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    tableColumnSettings: { hideSources: true, hideDefaults: true, hideInherited: true, hideOverrides: true },
    useCustomAnchors: true,
  }
}

const compilerOptions = { types: ['node'], declaration: false, isolatedDeclarations: false }

function modulesOf(project: ProjectReflection): ReadonlyArray<DeclarationReflection> {
  return project.getChildrenByKind(ReflectionKind.Module)
}

/** Names modules by specifiers; TypeDoc names modules by files. */
function nameModules(project: ProjectReflection, entries: ReadonlyArray<ApiEntry>): void {
  for (const module of modulesOf(project)) {
    const entry = entries.find(({ source }) => source === module.sources?.[0].fullFileName)
    if (entry === undefined) throw new Error(`TypeDoc: ${module.name} is no entry`)
    module.name = entry.specifier
  }
}

/** Names each destructured parameter after its type, because TypeDoc gives no name. */
function nameParameters(project: ProjectReflection): void {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    const parameter = reflection as ParameterReflection
    const type = parameter.type?.type === 'reference' ? parameter.type.name : 'Options'
    if (parameter.name === '__namedParameters') parameter.name = type[0].toLowerCase() + type.slice(1)
  }
}

/** Keeps the place of each exported name in the source, and removes the places of its members. */
function keepSources(project: ProjectReflection, isLinked: boolean): void {
  for (const reflection of Object.values(project.reflections)) {
    const { parent } = reflection
    const isName = parent?.kindOf(ReflectionKind.Module) === true
    const isSignature = reflection.kindOf(ReflectionKind.SomeSignature) && parent?.parent?.kindOf(ReflectionKind.Module)
    const declared = reflection as DeclarationReflection
    if (!isName && isSignature !== true) delete declared.sources
    if (!isLinked) for (const source of declared.sources ?? []) delete source.url
  }
}

function namesOf(
  module: ProjectReflection | DeclarationReflection,
  links: ReadonlyMap<Reflection, string>,
): ReadonlyArray<ApiName> {
  const names = new Map<string, ApiName>()
  for (const child of module.children ?? []) {
    const { name } = child
    const about = aboutOf(child)
    if (name !== 'default' && (names.get(name)?.about ?? '') === '')
      names.set(name, { name, about, link: links.get(child)! })
  }
  return [...names.values()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

function aboutOf(child: DeclarationReflection): string {
  if (child.isReference()) {
    const target = child.getTargetReflectionDeep()
    return `\`${target.name}\` of \`${target.parent?.name ?? 'another package'}\``
  }
  const comment = child.comment ?? child.signatures?.[0].comment
  const summary = comment?.getShortSummary(true) ?? []
  return summary.map(({ kind, text }) => (kind === 'inline-tag' ? `\`${text}\`` : text)).join('')
}
