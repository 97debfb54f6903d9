// What packages export: each name with how it is declared and what its docstring says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ClassDeclaration,
  type ClassElement,
  type Node,
  type PropertyDeclaration,
  SyntaxKind,
  type VariableDeclaration,
} from 'typescript/unstable/ast'
import { type Checker, type JSDocTagInfo, type Symbol, SymbolFlags } from 'typescript/unstable/sync'
import type { TypeScriptProgram } from './typescript-program.ts'

/** An entry of a package, with what it exports. */
export interface Entry {
  /** As it is imported: `@cloister/eventlog/node`. */
  readonly specifier: string
  readonly names: ReadonlyArray<PublicName>
}

/** A name that an entry exports. */
export interface PublicName {
  readonly name: string
  /** How it is declared, without what it does: TypeScript. Where it is another package's, empty. */
  readonly declaration: string
  /** Its docstring, as Markdown; of another package's name, whose it is. */
  readonly documentation: string
  /** What the docstring says of parameters, results and errors. */
  readonly tags: ReadonlyArray<JSDocTagInfo>
}

/** The entries of a package, in the order of its manifest. @param folder of the package, from the repository's root */
export function entriesOf(root: string, folder: string, program: TypeScriptProgram): ReadonlyArray<Entry> {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports?: { readonly [entry: string]: string | { readonly '@cloister/source'?: string } }
  }
  return Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) => {
    const source = typeof target === 'string' ? undefined : target['@cloister/source']
    if (source?.startsWith('./src/') !== true) return []
    const names = publicNames(join(folder, source), `${join(root, folder)}/`, program)
    return names.length === 0 ? [] : [{ specifier: manifest.name + entry.slice(1), names }]
  })
}

function publicNames(file: string, own: string, program: TypeScriptProgram): ReadonlyArray<PublicName> {
  const { checker } = program
  const module = checker.getSymbolAtLocation(program.file(file))
  if (module === undefined) return []
  return checker
    .getExportsOfModule(module)
    .filter(({ name }) => name !== 'default')
    .map((exported) => publicName(exported, own, checker))
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

function publicName(exported: Symbol, own: string, checker: Checker): PublicName {
  const { name } = exported
  const symbol = (exported.flags & SymbolFlags.Alias) === 0 ? exported : checker.getAliasedSymbol(exported)
  const declarations = symbol.declarations.filter(({ path }) => path.toLowerCase().startsWith(own.toLowerCase()))
  if (declarations.length === 0) return { name, declaration: '', documentation: originOf(symbol), tags: [] }
  const nodes = declarations.flatMap((handle) => handle.resolve() ?? [])
  return {
    name,
    declaration: nodes.map((node) => declared(node, symbol, checker)).join('\n'),
    documentation: withoutLinks(checker.getDocumentationCommentOfSymbol(symbol)),
    tags: checker
      .getJsDocTagsOfSymbol(symbol)
      .map(({ name: tag, text = '' }) => ({ name: tag, text: withoutLinks(text) })),
  }
}

/** Of a name that a package gives on: where it is from. */
function originOf({ name, declarations: [first] }: Symbol): string {
  const [, inside] = /\/packages\/((?:policies\/)?[\w-]+)\/src\//.exec(first?.path ?? '') ?? []
  const [, outside] = /\/node_modules\/((?:@[\w-]+\/)?[\w-]+)\/(?!.*\/node_modules\/)/.exec(first?.path ?? '') ?? []
  const from = inside === undefined ? outside : `@cloister/${inside.replace('policies/', 'policy-')}`
  return `\`${name}\` of \`${from ?? 'another package'}\``
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\{@link ([\w.]+)\}/g, '`$1`')
}

/** A declaration without what it does. */
function declared(node: Node, symbol: Symbol, checker: Checker): string {
  switch (node.kind) {
    case SyntaxKind.VariableDeclaration: {
      const { type } = node as VariableDeclaration
      const found = checker.getTypeOfSymbol(symbol)
      return `const ${symbol.name}: ${type?.getText() ?? (found === undefined ? 'unknown' : checker.typeToString(found))}`
    }
    case SyntaxKind.ClassDeclaration:
      return declaredClass(node as ClassDeclaration)
    default:
      return withoutExport(withoutBody(node, node.getText()))
  }
}

/** A class with its public members, and their docstrings. */
function declaredClass(node: ClassDeclaration): string {
  const members = node.members
    .filter((member) => !PRIVATE.test(member.getText()))
    .map((member) => `  ${declaredMember(member)}`)
  const [first] = node.members
  const text = node.getText()
  const head = first === undefined ? text.replace(/\}$/, '') : text.slice(0, first.pos - node.getStart())
  return `${withoutExport(head.replace(/\{\s*$/, '').trim())} {\n${members.join('\n')}\n}`
}

const PRIVATE = /^(?:(?:static|readonly|override|async|get|set|\*)\s+)*(?:#|private\b)/

/** A member with its docstring; of a field with a type not what it begins with. */
function declaredMember(member: ClassElement): string {
  const text = member.getFullText().trim()
  if (member.kind !== SyntaxKind.PropertyDeclaration) return withoutBody(member, text)
  const { type } = member as PropertyDeclaration
  return type === undefined ? text : text.slice(0, text.length - (member.end - type.end))
}

function withoutExport(text: string): string {
  return text.replace(/^export (?:default )?(?:declare )?/, '')
}

/** @param text of a node, up to its end */
function withoutBody(node: Node, text: string): string {
  const { body } = node as Node & { readonly body?: Node }
  return body === undefined ? text : text.slice(0, text.length - (node.end - body.getStart())).trimEnd()
}
