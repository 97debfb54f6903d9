// Finds the types of the policy contract for help in the playground's editor: members with their docstrings.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type InterfaceDeclaration, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import { API, type Checker } from 'typescript/unstable/sync'
import type { ContractTypes } from '../playground/contract-types.ts'
import type { Declarations } from '../playground/types-worker.ts'

const SOURCES = [
  'packages/placement/src/contract.ts',
  'packages/placement/src/view.ts',
  'packages/topology/src/topology.ts',
]

/** Returns the interfaces of the policy contract, of the state and of the topology, with their members. */
export function contractTypes({ checker, file }: TypeScriptProgram): ContractTypes {
  const interfaces = SOURCES.flatMap((source) => [...file(source).statements].filter(isInterface))
  const names = interfaces.map(({ name }) => name.getText())
  const types = interfaces.map(({ name, members }) => {
    const symbol = checker.getSymbolAtLocation(name)
    const own = members.flatMap((member) => {
      const { name: called } = member as Node & { readonly name?: Node }
      const found = called && checker.getSymbolAtLocation(called)
      if (found === undefined) return []
      const declaration = member.getText().replace(/^readonly /, '')
      const [, type = ''] = /: (?:ReadonlyArray<)?(\w+)[^:]*$/.exec(declaration) ?? []
      return [
        {
          name: found.name,
          declaration,
          about: plain(checker.getDocumentationCommentOfSymbol(found)),
          ...(names.includes(type) && { type }),
        },
      ]
    })
    const about = symbol === undefined ? '' : plain(checker.getDocumentationCommentOfSymbol(symbol))
    return [name.getText(), { about, members: own }] as const
  })
  return Object.fromEntries(types)
}

function isInterface(node: Node): node is InterfaceDeclaration {
  return node.kind === SyntaxKind.InterfaceDeclaration
}

function plain(documentation: string): string {
  return documentation.replaceAll(/\{@link ([\w.]+)\}/g, '$1').replaceAll(/\s*\n\s*/g, ' ')
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
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    declarationMap: false,
    types: [],
    rootDir: from,
    outDir: 'declared',
  }
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

// Opens the source files with the types that the compiler infers. The compiler runs in a separate process.

/** Source files of the command line and of all packages, with the compiler's type checker. */
export interface TypeScriptProgram {
  readonly checker: Checker
  /** Returns a source file by its path from the repository's root. @throws Error for a path outside of the program */
  readonly file: (path: string) => SourceFile
  readonly close: () => void
}

/** Starts the compiler on the source files. @param scratch folder for a generated tsconfig.json */
export function openProgram(root: string, scratch: string): TypeScriptProgram {
  const config = join(scratch, 'tsconfig.json')
  const from = relative(scratch, root)
  const include = ['apps/cli/src', 'packages/*/src', 'packages/policies/*/src'].map((folder) => `${from}/${folder}`)
  mkdirSync(scratch, { recursive: true })
  writeFileSync(config, JSON.stringify({ extends: `${from}/apps/cli/tsconfig.json`, include, exclude: [] }))
  const api = new API({ cwd: root })
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (project === undefined) throw new Error(`the compiler does not open ${config}`)
  return {
    checker: project.checker,
    file: (path) => {
      const file = project.program.getSourceFile(join(root, path))
      if (file === undefined) throw new Error(`the compiler does not know ${path}`)
      return file
    },
    close: () => api.close(),
  }
}

/** Returns the TypeScript modules of a folder, in the order of their paths. */
export function sourcesIn(root: string, folder: string): ReadonlyArray<string> {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.d.ts'))
    .sort()
}

/** Calls `see` for a node and all nodes below it. */
export function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  node.forEachChild((child) => visit(child, see))
}
