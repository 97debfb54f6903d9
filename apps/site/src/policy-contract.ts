// Finds the types of the policy contract for help in the playground's editor: members with their docstrings.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript-6'
import type { ContractTypes } from './playground/contract-types.ts'
import type { Declarations } from './playground/compiler-worker.ts'

const SOURCES = [
  'packages/placement/src/contract.ts',
  'packages/placement/src/view.ts',
  'packages/topology/src/topology.ts',
]

/** Returns the interfaces of the policy contract, of the state and of the topology, with their members. */
export function contractTypes(root: string): ContractTypes {
  const interfaces = SOURCES.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
    return source.statements.filter(ts.isInterfaceDeclaration)
  })
  const names = interfaces.map(({ name }) => name.text)
  return Object.fromEntries(
    interfaces.map((each) => [
      each.name.text,
      { about: aboutOf(each), members: each.members.flatMap(memberOf(names)) },
    ]),
  )
}

/** Returns a function that describes a member, with the member's type if the type has one of the names. */
function memberOf(names: ReadonlyArray<string>): (member: ts.TypeElement) => ContractTypes[string]['members'] {
  return (member) => {
    if (member.name === undefined) return []
    const declaration = member.getText().replace(/^readonly /, '')
    const [, type = ''] = /: (?:ReadonlyArray<)?(\w+)[^:]*$/.exec(declaration) ?? []
    const name = member.name.getText()
    return [{ name, declaration, about: aboutOf(member), ...(names.includes(type) && { type }) }]
  }
}

/** Returns the first paragraphs of a docstring: the text before its tags. */
function aboutOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const text = ts.getTextOfJSDocComment(doc?.comment) ?? ''
  return text.replaceAll(/\{@link ([\w.]+)\s*\}/g, '$1').replaceAll(/\s*\n\s*/g, ' ')
}

// Makes the declarations of the types that a policy may import, as in the published packages.

/** Entries of the packages with the types of the policy contract, by package name. */
const entries: Readonly<Record<string, string>> = {
  '@cloister/placement': 'packages/placement/src/index.ts',
  '@cloister/topology': 'packages/topology/src/index.ts',
}

/** Returns the declarations of the contract's packages and of the language. @param scratch folder of compiler output */
export function contractDeclarations(root: string, scratch: string): Declarations {
  const resolve = createRequire(import.meta.url).resolve
  const from = relative(scratch, root)
  const compilerOptions = { noEmit: false, emitDeclarationOnly: true, types: [], rootDir: from, outDir: 'declared' }
  const files = Object.values(entries).map((entry) => `${from}/${entry}`)
  mkdirSync(scratch, { recursive: true })
  writeFileSync(
    join(scratch, 'tsconfig.contract.json'),
    JSON.stringify({ extends: `${from}/tsconfig.base.json`, compilerOptions, files }),
  )
  const tsc = join(dirname(resolve('typescript/package.json')), 'bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(scratch, 'tsconfig.contract.json')], { stdio: 'inherit' })
  const declared = join(scratch, 'declared')
  const texts = globSync('**/*.d.ts', { cwd: declared })
    .sort()
    .map((file) => [`/${file}`, readFileSync(join(declared, file), 'utf8')] as const)
  const schema = createRequire(join(root, 'packages/placement/package.json')).resolve('@standard-schema/spec')
  const standardSchema = '/standard-schema.d.ts'
  return {
    files: Object.fromEntries([
      ...texts,
      [standardSchema, readFileSync(join(dirname(schema), 'index.d.ts'), 'utf8')],
      ...languageFiles(dirname(resolve('typescript-6/lib/lib.es2024.d.ts')), ['lib.es2024.d.ts', 'lib.webworker.d.ts']),
    ]),
    modules: {
      ...Object.fromEntries(
        Object.entries(entries).map(([name, entry]) => [name, `/${entry.replace('.ts', '.d.ts')}`]),
      ),
      '@standard-schema/spec': standardSchema,
    },
  }
}

/** Returns files with the language's declarations, and all files to which these files refer. */
function languageFiles(folder: string, names: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> {
  const found = new Map<string, string>()
  const add = (name: string): void => {
    if (found.has(name)) return
    const text = readFileSync(join(folder, name), 'utf8')
    found.set(name, text)
    for (const [, library] of text.matchAll(/^\/\/\/ <reference lib="([^"]+)" \/>/gm)) add(`lib.${library}.d.ts`)
  }
  names.forEach(add)
  return [...found].map(([name, text]) => [`/${name}`, text])
}
