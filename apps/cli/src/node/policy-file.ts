import { closeSync, openSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Pattern of the extensions of files that Node runs as code: JavaScript, and TypeScript with erasable types. */
const EXTENSION = /^\.[cm]?[jt]s$/

/** Returns true if a specifier has the form of a path of a file, not of a package name. Does not look for the file. */
export function isFileName(specifier: string): boolean {
  return /^(\.{0,2}\/|file:|\.{1,2}$)/.test(specifier) || EXTENSION.test(extname(specifier))
}

/** Returns true if a possible package name is also the path of a file or folder, such as `p.py` or `policies/mine`. */
export function isPathOfSomething(specifier: string): boolean {
  if (!/[./]/.test(specifier)) return false
  try {
    return statSync(resolve(specifier), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The name is too long for a path, or has a null byte, and so is no path.
    return false
  }
}

/** Returns a description of the object at a path, such as `a folder`, or undefined for a possible policy file. */
export function foundInsteadOfPolicy(specifier: string): string | undefined {
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
