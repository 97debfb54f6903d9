// Tests of the API's pages: every exported name has a section, and links lead to the section of the name in their text.
import { globSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript-6'
import { beforeAll, expect, it } from 'vitest'
import { publishedEntries } from '../src/generated-pages.ts'
import { buildOnce, root, siteFile, siteFolder } from './built-site.ts'

beforeAll(buildOnce)

/** Heading of an exported name or of a member, with the text below the heading. */
interface Section {
  readonly name: string
  readonly id: string
  readonly text: string
}

/** Returns the texts of the API's pages in VitePress's input, by path such as `eventlog/node`. */
const pages = (): ReadonlyMap<string, string> =>
  new Map(
    globSync('**/*.md', { cwd: join(siteFolder, '../pages/reference/api') }).map((file) => [
      file.replace(/\.md$/, ''),
      siteFile(`../pages/reference/api/${file}`),
    ]),
  )

function sectionsOf(markdown: string, level: string): ReadonlyArray<Section> {
  const parts = markdown.split(new RegExp(`^#{${level}} `, 'm')).slice(1)
  return parts.map((part) => {
    const [, name, id] = /^(?:abstract )?(\S.*?)(?:\\<.*)?(?:\(\))?\?? \{#(\S+)\}\n/.exec(part) ?? []
    return { name: name?.replaceAll('\\', ''), id, text: part.slice(part.indexOf('\n')) }
  })
}

/** Returns the exported names of each published module, as the compiler knows them. */
function exportedNames(): ReadonlyMap<string, ReadonlyArray<string>> {
  const entries = publishedEntries(root)
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram(
    entries.map(({ source }) => source),
    options,
  )
  const checker = program.getTypeChecker()
  const names = entries.map(({ specifier, source }) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(source)!)
    return [specifier, checker.getExportsOfModule(module!).map(({ name }) => name)] as const
  })
  return new Map(names)
}

it('the API has a page for every published module, with exactly the exported names that the compiler knows', () => {
  const exported = exportedNames()
  const all = pages()
  expect([...exported.values()].flat().length).toBeGreaterThan(750)
  expect(all.size).toBe(exported.size + 1)
  for (const [specifier, names] of exported) {
    const markdown = all.get(specifier.replace('@cloister/', '')) ?? ''
    expect(markdown.split('\n')[0]).toBe(`# ${specifier}`)
    const told = new Set(sectionsOf(markdown, '3').map(({ name }) => name))
    expect([...told].sort(), specifier).toEqual([...names].sort())
    expect(all.get('index')).toContain(`](${specifier.replace('@cloister/', '')}.md)`)
  }
})

it('the pages of the API have a docstring for every name, and the declaration, errors and source of `parseTopology`', () => {
  const untold = [...pages()].flatMap(([path, markdown]) => {
    const sections = sectionsOf(markdown, '3')
    // If a type and a value have the same name, one of them needs a docstring.
    const names = new Set(sections.filter(({ text }) => isTold(text)).map(({ name }) => name))
    return sections.filter(({ name }) => !names.has(name)).map(({ name }) => `${path}: ${name}`)
  })
  expect(untold).toEqual([])
  const topology = sectionsOf(pages().get('topology') ?? '', '3')
  const parse = topology.find(({ name }) => name === 'parseTopology')?.text
  expect(parse).toMatch(/^`{3}ts\nfunction parseTopology\(\n {3}spec: string/m)
  expect(parse).toMatch(/^#### Throws .*\n\nTopologyError \S.*$/m)
  expect(parse).toContain('Defined in: packages/topology/src/spec.ts:')
})

/** Returns true if a section has a docstring of its name, or of parameters, the result or errors. */
function isTold(text: string): boolean {
  const said = text.replaceAll(/^```[\s\S]*?^```$|^Defined in: .*$|^#### Call Signature .*$/gm, '').trim()
  return (
    /^[^#*|\s]/.test(said) || /^#### (?:Throws|Returns) .*\n\n(?:.*\]\(.*\n\n|`.*\n\n)?\w|\| Description \|/m.test(said)
  )
}

it('the pages of the API show the public members of a class, with their docstrings', () => {
  const classes = sectionsOf(pages().get('placement') ?? '', '3')
  const state = classes.find(({ name }) => name === 'ClusterState')?.text ?? ''
  expect(state).toContain('```ts\napply(allocation: Allocation): void;\n```\n\nStarts a job on free nodes and links.')
  expect(state).toMatch(/freeNodeIds\(\n {3}leaf: number, \n {3}out: Int32Array, \n {3}offset\?: number\n\): number;\n/)
  expect(state).not.toMatch(/^#+ #|private |this\./m)
})

it('on the pages of the API, a name in a docstring is a link to the section of the name', () => {
  const all = pages()
  const headings = new Map(
    [...all].map(([path, markdown]) => [path, sectionsOf(markdown, '3,6').map(({ id, name }) => [id, name] as const)]),
  )
  for (const [path, found] of headings) expect(new Set(found.map(([id]) => id)).size, path).toBe(found.length)
  const wrong = [...all].flatMap(([path, markdown]) =>
    [...markdown.matchAll(/\[`([\w~]+)`\]\(([\w/.-]*)#([\w~-]+)\)/g)].flatMap(([link, name, to, id]) => {
      const target = to === '' ? path : posix.join(dirname(path), to.replace(/\.md$/, ''))
      return new Map(headings.get(target)).get(id) === name ? [] : [`${path}: ${link}`]
    }),
  )
  expect(wrong).toEqual([])
})
