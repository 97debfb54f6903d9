import { existsSync, readdirSync, readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { InstalledCode } from '../results/policies.ts'

/** Installed package that a module in the working directory could import. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
  /** Field `description` of the package.json, or an empty text without the field. */
  readonly description: string
}

/** Returns the URL of the working directory, with a slash at the end. */
export function workingDirectory(): string {
  return pathToFileURL(`${process.cwd()}${sep}`).href
}

/** Returns name, version and description of an installed package, or undefined if the package is not installed. */
export function installedPackage(name: string): InstalledPackage | undefined {
  const manifest = packageJsonOf(name)
  return manifest === undefined ? undefined : readManifest(manifest)
}

/** Returns the path of a package's package.json, seen from the working directory, or of the package around a file. */
function packageJsonOf(specifier: string | URL): string | undefined {
  // Falls back to an own search, because Bun lacks the function `findPackageJSON`.
  const known: Partial<typeof nodeModule> = nodeModule
  const find = known.findPackageJSON ?? searchPackageJson
  try {
    return find(specifier, workingDirectory())
  } catch {
    return undefined
  }
}

function searchPackageJson(specifier: string | URL): string | undefined {
  const paths =
    typeof specifier === 'string'
      ? nodeModules().map((folder) => join(folder, specifier, 'package.json'))
      : foldersFrom(dirname(fileURLToPath(specifier))).map((folder) => join(folder, 'package.json'))
  return paths.find((path) => existsSync(path))
}

/** Kind of value that packages and files export for commands. */
export type CodeKind = 'policy' | 'router' | 'order' | 'query'

/** Returns the names of packages that `--policy NAME`, `--router NAME` or `--order NAME` looks for. */
export function packagesOf(kind: CodeKind, name: string): ReadonlyArray<string> {
  return [`@cloister/${kind}-${name}`, `cloister-${kind}-${name}`]
}

/** Returns the specifiers that the value of `--policy`, `--router` or `--order` may stand for, in the order of the lookup. */
export function specifiersOf(kind: CodeKind, name: string): ReadonlyArray<string> {
  return /^[a-z0-9-]+$/.test(name) ? [...packagesOf(kind, name), name] : [name]
}

/**
 * Lists the packages of a kind that are installed in the working directory or a folder above, each with the shortest
 * name. Of several copies of a package, lists only the nearest copy.
 *
 * @param builtIn names of the built-in policies, routers or orders, which take precedence
 */
export function installedCode(kind: CodeKind, builtIn: Iterable<string>): ReadonlyArray<InstalledCode> {
  const known = new Set(builtIn)
  return installedPackages(kind).map(({ name, version, description }) => {
    const short = name.replace(new RegExp(`^(@cloister/|cloister-)${kind}-`), '')
    const isFirst = !known.has(short)
    known.add(short)
    return { name: isFirst ? short : name, version, description, package: name }
  })
}

function installedPackages(kind: CodeKind): ReadonlyArray<InstalledPackage> {
  const found = new Map<string, InstalledPackage>()
  for (const folder of nodeModules())
    for (const name of packageNames(kind, folder)) {
      const manifest = found.has(name) ? undefined : readManifest(join(folder, name, 'package.json'))
      if (manifest !== undefined) found.set(name, manifest)
    }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function packageNames(kind: CodeKind, folder: string): ReadonlyArray<string> {
  const scoped = namesIn(join(folder, '@cloister')).filter((name) => name.startsWith(`${kind}-`))
  return [
    ...scoped.map((name) => `@cloister/${name}`),
    ...namesIn(folder).filter((name) => name.startsWith(`cloister-${kind}-`)),
  ]
}

function namesIn(folder: string): ReadonlyArray<string> {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readManifest(path: string): InstalledPackage | undefined {
  try {
    const { name, version, description } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    return {
      name: String(name),
      version: typeof version === 'string' ? version : 'of no version',
      description: typeof description === 'string' ? description : '',
    }
  } catch {
    return undefined
  }
}

function nodeModules(): ReadonlyArray<string> {
  return foldersFrom(process.cwd()).map((folder) => join(folder, 'node_modules'))
}

/** Returns the checkout of this repository around a folder; undefined for a folder outside of all checkouts. */
export function checkoutOf(folder: string): string | undefined {
  return foldersFrom(folder).find((each) => existsSync(join(each, 'apps/cli/src/start.ts')))
}

/** Returns `folder` and all folders above, the nearest first. */
function foldersFrom(folder: string): ReadonlyArray<string> {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersFrom(above)]
}

/** Returns the README of a policy's package, or of the package around the policy's file, undefined without README. */
export function readmeOf(origin: string, name: string): string | undefined {
  const manifest = manifestOf(origin)
  if (manifest === undefined) return undefined
  const readme = join(dirname(manifest), 'README.md')
  // Checks the name of the package, because the file of a policy may stand in the folder of an unrelated package.
  const named = String((JSON.parse(readFileSync(manifest, 'utf8')) as { readonly name?: unknown }).name)
  const isOfPolicy = named === name || named.endsWith(`-${name}`) || named.endsWith(`/${name}`)
  return isOfPolicy && existsSync(readme) ? readFileSync(readme, 'utf8') : undefined
}

function manifestOf(origin: string): string | undefined {
  const isPath = /^(\.{0,2}\/|file:)|\.[cm]?[jt]s$/.test(origin)
  const specifier = !isPath ? origin : origin.startsWith('file:') ? new URL(origin) : pathToFileURL(resolve(origin))
  const found = packageJsonOf(specifier)
  // For a file outside of all packages, `packageJsonOf` may return the file itself.
  return found !== undefined && basename(found) === 'package.json' ? found : undefined
}

/** Returns the first paragraph of a README that is no heading, code, table or list, on one line, or undefined. */
export function firstParagraph(markdown: string): string | undefined {
  const paragraphs = markdown.split(/\n\s*\n/).map((text) => text.trim().replaceAll('\n', ' '))
  return paragraphs.find((text) => text !== '' && !/^[#`<|!>-]/.test(text))
}
