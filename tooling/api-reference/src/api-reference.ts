// What packages export, as Markdown. TypeDoc makes it, which works with no compiler newer than TypeScript 6: it has that here.
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

/** A module of a package that others may import. */
export interface ApiEntry {
  /** As it is imported: `@cloister/eventlog/node`. */
  readonly specifier: string
  /** Its source file. */
  readonly source: string
}

/** A page of Markdown. Its links lead to other pages of these. */
export interface ApiPage {
  /** Its path among the pages, without an extension: `eventlog/node`; `index` for the list of all. */
  readonly path: string
  /** The module that it tells of; undefined for the list of all. */
  readonly specifier: string | undefined
  readonly markdown: string
  /** What the module exports, in the order of the alphabet; a default export has no name of its own. */
  readonly names: ReadonlyArray<ApiName>
}

/** A name that a module exports. */
export interface ApiName {
  readonly name: string
  /** What it is, in a paragraph of Markdown: how its docstring begins, or whose it is. */
  readonly about: string
  /** Where it is told of, among the pages: `topology.md#parsetopology`. */
  readonly link: string
}

/** What pages are made of. */
export interface ApiSources {
  /** The repository's folder: pages name files from there. */
  readonly root: string
  readonly entries: ReadonlyArray<ApiEntry>
  /** Where the repository can be seen, if anywhere; without it files are named and not linked. */
  readonly repository: string | undefined
  /** A folder for what is made on the way. */
  readonly scratch: string
}

/** The pages of all entries, and one that lists them. @throws Error where TypeDoc complains, of links that lead nowhere, say: it prints of what */
export async function apiPages(sources: ApiSources): Promise<ReadonlyArray<ApiPage>> {
  const app = await Application.bootstrapWithPlugins(optionsFor(sources), [new TSConfigReader()])
  const project = await app.convert()
  if (project !== undefined) app.validate(project)
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('TypeDoc cannot tell of all that packages export: see above')
  nameModules(project, sources.entries)
  nameParameters(project)
  keepSources(project, sources.repository !== undefined)
  const links = new Map<Reflection, string>()
  // It forgets the addresses of what it has written.
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
    // The workspace's own compiler checks the types, and is the newer one.
    skipErrorChecking: true,
    excludeExternals: true,
    excludePrivate: true,
    readme: 'none',
    logLevel: LogLevel.Warn,
    // A type that nobody can import is shown where it is used.
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

const compilerOptions = { types: ['node'], declaration: false, declarationMap: false, isolatedDeclarations: false }

function modulesOf(project: ProjectReflection): ReadonlyArray<DeclarationReflection> {
  return project.getChildrenByKind(ReflectionKind.Module)
}

/** TypeDoc calls modules by their files. */
function nameModules(project: ProjectReflection, entries: ReadonlyArray<ApiEntry>): void {
  for (const module of modulesOf(project)) {
    const entry = entries.find(({ source }) => source === module.sources?.[0].fullFileName)
    if (entry === undefined) throw new Error(`TypeDoc: ${module.name} is no entry`)
    module.name = entry.specifier
  }
}

/** A parameter that is taken apart where it is declared has no name: its type's does. */
function nameParameters(project: ProjectReflection): void {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    const parameter = reflection as ParameterReflection
    const type = parameter.type?.type === 'reference' ? parameter.type.name : 'Options'
    if (parameter.name === '__namedParameters') parameter.name = type[0].toLowerCase() + type.slice(1)
  }
}

/** Where a name is declared is told once, and not of each of its members. */
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

/** What a docstring begins with; of another module's name, whose it is. */
function aboutOf(child: DeclarationReflection): string {
  if (child.isReference()) {
    const target = child.getTargetReflectionDeep()
    return `\`${target.name}\` of \`${target.parent?.name ?? 'another package'}\``
  }
  const comment = child.comment ?? child.signatures?.[0].comment
  const summary = comment?.getShortSummary(true) ?? []
  return summary.map(({ kind, text }) => (kind === 'inline-tag' ? `\`${text}\`` : text)).join('')
}
