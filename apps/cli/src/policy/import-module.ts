import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { forbidExit } from '@cloister/run'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'
import { describeThrown } from '../errors/thrown.ts'
import { type CodeKind, installedPackage, specifiersOf, workingDirectory } from './installed-packages.ts'

type Exports = Record<string, unknown>

/** Description of the files that can hold a policy, a router or a queue order, for messages. */
export const moduleFiles =
  'a JavaScript file (.js, .mjs, .cjs) or a TypeScript file (.ts, .mts, .cts; with types that can be erased)'

/**
 * Returns the exports of a package installed in the working directory, or of a file. Returns undefined if the specifier
 * is neither an installed package nor a path. A package takes precedence over a file with the same name.
 *
 * @param what default export of the file, for messages
 */
export function importModule(
  specifier: string,
  what: CodeKind = 'policy',
): Effect.Effect<Exports | undefined, Problem> {
  if (!isFileName(specifier)) {
    if (installedPackage(specifier) !== undefined) return importing(specifier, () => importPackage(specifier))
    if (!isPathOfSomething(specifier)) return Effect.succeed(undefined)
  }
  const found = foundInsteadOfCode(specifier)
  if (found !== undefined)
    return Effect.fail(
      new Problem(`${specifier}: found ${found}, expected ${moduleFiles} that exports the ${what} by default`),
    )
  const url = specifier.startsWith('file:') ? specifier : pathToFileURL(resolve(specifier)).href
  return importing(specifier, () => importFile(url))
}

function importing(specifier: string, load: () => Promise<Exports>): Effect.Effect<Exports, Problem> {
  return Effect.acquireUseRelease(
    Effect.sync(forbidExit),
    () =>
      Effect.tryPromise({
        try: load,
        catch: (cause) => new Problem(`${specifier} cannot be imported: ${reasonNotToLoad(cause)}`),
      }),
    (allowExit) => Effect.sync(allowExit),
  )
}

function reasonNotToLoad(cause: unknown): string {
  const isTypeScript =
    cause instanceof Error &&
    'code' in cause &&
    cause.code === 'ERR_UNKNOWN_FILE_EXTENSION' &&
    /extension "\.[cm]?ts"/.test(cause.message)
  return isTypeScript
    ? `Node ${process.versions.node} cannot import TypeScript; Node 22.18 and newer can`
    : describeThrown(cause)
}

/**
 * Imports a package as a module in the working directory would. A plain `import` would search from the folder of this
 * file, and `require.resolve` would miss packages with exports for `import` only.
 */
function importPackage(specifier: string): Promise<Exports> {
  const parentURL = workingDirectory()
  const { Bun } = globalThis as { readonly Bun?: { readonly resolveSync: (specifier: string, from: string) => string } }
  if (Bun !== undefined) return import(Bun.resolveSync(specifier, process.cwd()))
  return hooked(
    (asked, context, next) =>
      asked === specifier && context.parentURL === import.meta.url
        ? next(asked, { ...context, parentURL })
        : next(asked, context),
    () => import(specifier),
  )
}

/**
 * Imports a file with all its imports. In a package of `type` `commonjs`, as npm creates packages, Node would treat
 * every file as a script. This function imports files with the syntax of modules as modules nevertheless.
 */
function importFile(url: string): Promise<Exports> {
  return hooked(
    (asked, context, next) => {
      const resolved = next(asked, context)
      const { format, url: found } = resolved
      const isModule = format?.startsWith('commonjs') === true && isWrittenAsModule(found)
      return isModule ? { ...resolved, format: format.replace('commonjs', 'module') } : resolved
    },
    () => import(url),
  )
}

async function hooked(onResolve: nodeModule.ResolveHookSync, load: () => Promise<Exports>): Promise<Exports> {
  // Bun has no `registerHooks`, and needs no hook, because Bun recognises modules by their content.
  const { registerHooks }: Partial<typeof nodeModule> = nodeModule
  const hooks = registerHooks?.({ resolve: onResolve })
  try {
    return await load()
  } finally {
    hooks?.deregister()
  }
}

/** False for files in node_modules, which keep the declared type. */
function isWrittenAsModule(url: string): boolean {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return false
  const source = readFileSync(fileURLToPath(url), 'utf8')
  if (!/^\s*(import|export)\b/m.test(source)) return false
  // A script may have the word `import` or `export` in a string. TypeScript with one of the words is always a module
  // for Node.
  return url.endsWith('ts') || !isScript(source)
}

function isScript(source: string): boolean {
  try {
    // Loads node:vm here, because few policies need this test.
    const { Script } = process.getBuiltinModule('node:vm')
    new Script(`(function () {${source}\n})`)
    return true
  } catch {
    return false
  }
}

/** Pattern of the extensions of files that Node runs as code: JavaScript, and TypeScript with erasable types. */
const EXTENSION = /^\.[cm]?[jt]s$/

/** Returns true if a specifier has the form of a path of a file, not of a package name. Does not look for the file. */
function isFileName(specifier: string): boolean {
  return /^(\.{0,2}\/|file:|\.{1,2}$)/.test(specifier) || EXTENSION.test(extname(specifier))
}

/** Returns true if a possible package name is also the path of a file or folder, such as `p.py` or `policies/mine`. */
function isPathOfSomething(specifier: string): boolean {
  if (!/[./]/.test(specifier)) return false
  try {
    return statSync(resolve(specifier), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The name is too long for a path, or has a null byte, and so is no path.
    return false
  }
}

/** Returns a description of the object at a path, such as `a folder`, or undefined for a possible file of code. */
function foundInsteadOfCode(specifier: string): string | undefined {
  try {
    const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(specifier)
    const stats = statSync(path)
    if (stats.isDirectory()) return 'a folder'
    if (!stats.isFile()) return 'a pipe or a device'
    const extension = extname(path)
    if (!EXTENSION.test(extension)) return extension === '' ? 'a file without an extension' : `a ${extension} file`
    closeSync(openSync(path, 'r'))
    return undefined
  } catch (error) {
    return problemOf(error, specifier)
  }
}

function problemOf(error: unknown, specifier: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return specifier.startsWith('file:') ? 'no such file' : `no such file (searched ${resolve(specifier)})`
  if (code === 'EACCES' || code === 'EPERM') return 'a file that may not be read (permission denied)'
  return `no readable file (${message})`
}

/**
 * Returns the default export of a package installed in the working directory or of a file, and its specifier. Fails with
 * `unknown` if the name is neither.
 *
 * @param what name of the kind in messages, such as `router`
 * @param defectsOf returns the problems that keep a value from being of the kind
 */
export const defaultExportOf = Effect.fnUntraced(function* (
  kind: CodeKind,
  name: string,
  what: string,
  defectsOf: (value: unknown) => ReadonlyArray<string>,
  unknown: () => Problem,
): Effect.fn.Return<{ readonly code: unknown; readonly origin: string }, Problem> {
  for (const specifier of specifiersOf(kind, name)) {
    const exports = yield* importModule(specifier, kind)
    if (exports === undefined) continue
    if (!('default' in exports)) return yield* noDefaultExport(specifier, exports, kind)
    const code = defaultExport(exports)
    const problems = defectsOf(code).map((problem) => `  - ${problem}`)
    if (problems.length > 0)
      return yield* new Problem(`the default export of ${specifier} is no ${what}:\n${problems.join('\n')}`)
    return { code, origin: specifier }
  }
  return yield* unknown()
})

/** Returns the error for a package or file without a default export. */
export function noDefaultExport(specifier: string, exports: object, what: CodeKind): Problem {
  const found = Object.keys(exports).sort().join(', ') || 'none'
  return new Problem(`${specifier} has no default export, expected the ${what} (found exports: ${found})`)
}

/** Returns the default export. Compiled CommonJS has the default export in the member `default` of the default export. */
export function defaultExport(exports: Record<string, unknown>): unknown {
  const exported = exports['default']
  const isCompiled =
    typeof exported === 'object' && exported !== null && '__esModule' in exported && 'default' in exported
  return isCompiled ? exported.default : exported
}
