import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readText } from '@cloister/run/node'
import { Layer } from 'effect'
import { type Existing, Files } from '../files/files.ts'
import { createFile } from './new-file.ts'

/** Service `Files` for the file system of the machine. Relative paths start from the working directory. */
export const fileSystem: Layer.Layer<Files> = Layer.succeed(Files, {
  readText,
  writeText,
  writeScratch: (path, text) => writeFileSync(path, text),
  create: createFile,
  exists: existsSync,
  isSame,
  size: (path) => statSync(path).size,
  makeFolder: (path) => mkdirSync(path, { recursive: true }),
  makeTemporaryFolder,
  makePrivateFile: (purpose, name, text) => {
    const path = join(makeTemporaryFolder(purpose), name)
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    return path
  },
  removeFolder: (path) => rmSync(path, { recursive: true, force: true }),
})

function makeTemporaryFolder(purpose: string): string {
  return mkdtempSync(join(tmpdir(), `cloister-${purpose}-`))
}

function writeText(path: string, text: string, existing: Existing): void {
  const file = createFile(path, existing)
  try {
    file.write(text)
    file.commit()
  } finally {
    file.discard()
  }
}

/** Pipes and devices are never the same file, because a pipe or a device has no content to destroy. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
  // If no file exists at either path, the paths are the same if they are equal.
  if (a === undefined || b === undefined) return a === b && resolve(one) === resolve(other)
  return a.isFile() && a.dev === b.dev && a.ino === b.ino
}
