import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { FileError } from '../errors.ts'

/** Most bytes of a small file of a run: a switch graph, outages, an experiment. */
const MAX_BYTES = 2 ** 26
const CHUNK = 2 ** 16

/** Returns the text of a file. @throws FileError if the file cannot be read, or has more than 2^26 bytes */
export function readText(path: string): string {
  try {
    return readAtMost(path).toString('utf8')
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
