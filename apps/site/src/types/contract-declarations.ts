// Makes the declarations of the types that a policy may import, as in the published packages.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { Declarations } from '../playground/type-checker.ts'

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
