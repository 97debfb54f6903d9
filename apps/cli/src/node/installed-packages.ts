import { existsSync, readdirSync, readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Package that a module in the working directory could import. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
  /** Description of the package. Empty if the package.json has none. */
  readonly description: string
}

/** Returns the URL of the working directory, as the parent of a module there. */
export function workingDirectory(): string {
  return pathToFileURL(`${process.cwd()}${sep}`).href
}

/** Returns name and version of an installed package; undefined if the package is not installed. */
export function installedPackage(name: string): InstalledPackage | undefined {
  const manifest = packageJsonOf(name)
  return manifest === undefined ? undefined : readManifest(manifest)
}

/** Returns the path of the package.json of a package, or around a file, as seen from the working directory. */
export function packageJsonOf(specifier: string | URL): string | undefined {
  // Bun lacks the function `findPackageJSON`.
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
      : foldersFrom(dirname(specifier.pathname)).map((folder) => join(folder, 'package.json'))
  return paths.find((path) => existsSync(path))
}

/**
 * Returns the installed packages with the name of a policy: `@cloister/policy-NAME` or `cloister-policy-NAME`. Of
 * several copies, returns the nearest.
 */
export function installedPolicies(): ReadonlyArray<InstalledPackage> {
  const found = new Map<string, InstalledPackage>()
  for (const folder of nodeModules())
    for (const name of policyNames(folder)) {
      const manifest = found.has(name) ? undefined : readManifest(join(folder, name, 'package.json'))
      if (manifest !== undefined) found.set(name, manifest)
    }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function policyNames(folder: string): ReadonlyArray<string> {
  const scoped = namesIn(join(folder, '@cloister')).filter((name) => name.startsWith('policy-'))
  return [
    ...scoped.map((name) => `@cloister/${name}`),
    ...namesIn(folder).filter((name) => name.startsWith('cloister-policy-')),
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

/** Returns the folders with packages of the working directory, the nearest first. */
function nodeModules(): ReadonlyArray<string> {
  return foldersFrom(process.cwd()).map((folder) => join(folder, 'node_modules'))
}

/** Returns a folder and all its parents. */
function foldersFrom(folder: string): ReadonlyArray<string> {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersFrom(above)]
}
