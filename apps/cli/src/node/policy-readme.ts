import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageJsonOf } from './installed-packages.ts'

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
