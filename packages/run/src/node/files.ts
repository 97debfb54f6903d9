import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as Context from 'effect/Context'
import * as Layer from 'effect/Layer'
import { EXPECTED_ENCODING, otherEncoding } from '@cloister/trace-io'
import { FileError } from '../errors.ts'
import { createFile, type Existing, type NewFile } from './new-file.ts'

/**
 * Service for the files that a program reads and writes. Event logs and results of experiments have separate writers,
 * because these files grow for a long time. Every function throws the error of the operating system, with the path.
 */
export class Files extends Context.Service<
  Files,
  {
    readonly readText: (path: string) => string
    /** Writes a text file that appears completely or not at all. */
    readonly writeText: (path: string, text: string, existing: Existing) => void
    /** Writes a file for use by this process only. A crash may leave a partial file. */
    readonly writeScratch: (path: string, text: string) => void
    /** Begins a file that appears completely or not at all, even if the program is killed before `commit`. */
    readonly create: (path: string, existing: Existing) => NewFile
    readonly exists: (path: string) => boolean
    /** Returns true if two paths lead to one file, directly or through links. */
    readonly isSame: (one: string, other: string) => boolean
    /** Returns the size of a file in bytes. */
    readonly size: (path: string) => number
    /** Creates a folder and its parent folders. An existing folder stays unchanged. */
    readonly makeFolder: (path: string) => void
    /** Creates an empty temporary folder, readable only by the user. The caller removes the folder. */
    readonly makeTemporaryFolder: (purpose: string) => string
    /** Creates a file in a new temporary folder, readable only by the user. Returns the path of the file. */
    readonly makePrivateFile: (purpose: string, name: string, text: string) => string
    readonly removeFolder: (path: string) => void
  }
>()('@cloister/run/Files') {}

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

/** Most bytes of a small file of a run: a switch graph, outages, an experiment. */
const MAX_BYTES = 2 ** 26
const CHUNK = 2 ** 16

/** Returns the text of a file. @throws FileError if the file cannot be read, has more than 2^26 bytes, or is in UTF-16 */
export function readText(path: string): string {
  try {
    const bytes = readAtMost(path)
    const found = otherEncoding(bytes)
    if (found !== undefined) throw new FileError({ path, reason: `found ${found}, expected ${EXPECTED_ENCODING}` })
    return bytes.toString('utf8')
  } catch (error) {
    throw readProblem(path, error)
  }
}

/** Returns a FileError with the path for an error of the operating system. Returns any other error unchanged. */
export function readProblem(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new FileError({ path, reason: reasons[code] ?? message })
}

function readAtMost(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    // The size is only a guess: a device reports 0. A read of one byte more shows if the file ends at the size.
    let bytes = Buffer.allocUnsafe(Math.min(fstatSync(file).size, MAX_BYTES) + 1)
    for (let length = 0; length <= MAX_BYTES;) {
      const read = readSync(file, bytes, { offset: length })
      if (read === 0) return bytes.subarray(0, length)
      length += read
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(Math.max(length, CHUNK))])
    }
    throw new FileError({ path, reason: `is longer than ${MAX_BYTES} bytes; expected at most ${MAX_BYTES} bytes` })
  } finally {
    closeSync(file)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'permission denied',
  EIO: 'the disk reports an error',
}
