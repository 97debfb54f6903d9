import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PlacementPolicy } from '../contract.ts'

/** Name and version of a package, and the path of its package.json. */
export interface Manifest {
  readonly path: string
  readonly name?: string
  readonly version?: string
}

/** Finds the package of a file, independent of the working directory; undefined if there is none. */
export function manifestAround(file: string): Manifest | undefined {
  const folder = dirname(file)
  const path = join(folder, 'package.json')
  const manifest = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Omit<Manifest, 'path'>) : {}
  // A package.json without a name only sets the module type of its folder.
  if (manifest.name !== undefined) return { ...manifest, path }
  return folder === dirname(folder) ? undefined : manifestAround(folder)
}

/** Returns the difference between a policy and the name or version of its package, or undefined if they agree. */
export function manifestDefect(
  policy: PlacementPolicy<any, any>,
  manifest: { readonly name?: string; readonly version?: string },
): string | undefined {
  if (policy.version !== manifest.version)
    return `version is ${policy.version}; that of the package is ${manifest.version}`
  const name = manifest.name ?? ''
  if (name !== policy.name && !name.endsWith(`-${policy.name}`) && !name.endsWith(`/${policy.name}`)) {
    return `name is ${policy.name}; the package ${name} should be called so, or something that ends in -${policy.name}`
  }
  return undefined
}
