import { closeSync, openSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Extensions of files that Node runs as code. TypeScript is limited to erasable types. */
const EXTENSION = /^\.[cm]?[jt]s$/

/** Returns true if a specifier denotes a file and not a package, by the form of the name alone. */
export function isFileName(specifier: string): boolean {
  return /^(\.{0,2}\/|file:|\.{1,2}$)/.test(specifier) || EXTENSION.test(extname(specifier))
}

/** Returns true if a possible package name is also the path of a file or folder, like `p.py` or `policies/mine`. */
export function isPathOfSomething(specifier: string): boolean {
  if (!/[./]/.test(specifier)) return false
  try {
    return statSync(resolve(specifier), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The name is too long for a path, or holds a null byte.
    return false
  }
}

/** Describes the target of a path, if the target cannot be a policy file; undefined otherwise. */
export function foundInsteadOfPolicy(specifier: string): string | undefined {
  try {
    const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(specifier)
    const stats = statSync(path)
    if (stats.isDirectory()) return 'a folder'
    if (!stats.isFile()) return 'no regular file'
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
    return specifier.startsWith('file:') ? 'no such file' : `no such file (looked for ${resolve(specifier)})`
  if (code === 'EACCES' || code === 'EPERM') return 'a file that may not be read (permission denied)'
  return `no readable file (${message})`
}
