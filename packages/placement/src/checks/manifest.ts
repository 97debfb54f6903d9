import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AnyContract } from '../contract-1.ts'

/** What a package.json says of its package. */
export interface Manifest {
  readonly path: string
  readonly name?: string
  readonly version?: string
}

/** The package that a file belongs to, wherever the test runner was started; undefined where it is in none. */
export function manifestAround(file: string): Manifest | undefined {
  const folder = dirname(file)
  const path = join(folder, 'package.json')
  const manifest = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Omit<Manifest, 'path'>) : {}
  // One without a name only says of what kind the modules of its folder are.
  if (manifest.name !== undefined) return { ...manifest, path }
  return folder === dirname(folder) ? undefined : manifestAround(folder)
}

/** Why a policy does not go by the name and version of its package; undefined when it does. */
export function manifestDefect(
  policy: AnyContract<any, any>,
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
