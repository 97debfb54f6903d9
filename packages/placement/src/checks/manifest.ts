import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PlacementPolicy } from '../contract.ts'

export interface Manifest {
  readonly path: string
  readonly name?: string
  readonly version?: string
}

/** Returns the nearest package.json with a name in the folders above a file, whatever the working directory. */
export function manifestAround(file: string): Manifest | undefined {
  const folder = dirname(file)
  const path = join(folder, 'package.json')
  const manifest = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Omit<Manifest, 'path'>) : {}
  // A package.json without a name belongs to no package; it sets, for example, the module type of a folder.
  if (manifest.name !== undefined) return { ...manifest, path }
  return folder === dirname(folder) ? undefined : manifestAround(folder)
}

/** Returns a message if the version or the name of a policy does not fit its package; undefined if both fit. */
export function manifestDefect(
  policy: PlacementPolicy<any, any>,
  manifest: { readonly name?: string; readonly version?: string },
): string | undefined {
  if (policy.version !== manifest.version)
    return `the policy's version is ${policy.version}, but the package's version is ${manifest.version}; make both equal`
  const name = manifest.name ?? ''
  if (name !== policy.name && !name.endsWith(`-${policy.name}`) && !name.endsWith(`/${policy.name}`)) {
    return `the policy's name is ${policy.name}, but the package is called ${name}; expected ${policy.name}, or a name that ends in -${policy.name} or /${policy.name}`
  }
  return undefined
}
