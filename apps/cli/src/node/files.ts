import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Layer } from 'effect'
import { Files } from '../files/files.ts'

/** The file system, seen from the working directory. */
export const fileSystem: Layer.Layer<Files> = Layer.succeed(Files, {
  readText: (path) => readFileSync(path, 'utf8'),
  writeText: (path, text, existing) => writeFileSync(path, text, { flag: existing === 'overwrite' ? 'w' : 'wx' }),
  exists: existsSync,
  size: (path) => statSync(path).size,
  makeFolder: (path) => mkdirSync(path, { recursive: true }),
  makeTemporaryFolder: (purpose) => mkdtempSync(join(tmpdir(), `cloister-${purpose}-`)),
  removeFolder: (path) => rmSync(path, { recursive: true, force: true }),
})
