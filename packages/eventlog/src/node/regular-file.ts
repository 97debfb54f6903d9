import { constants, fstatSync, openSync, readSync } from 'node:fs'
import { attempt, closeRead, LogFileError, refused } from './file-error.ts'

/**
 * Opens a regular file, which can be read more than once, and returns its descriptor. The function refuses a pipe
 * without waiting for a writer of the pipe.
 *
 * @throws LogFileError if the file cannot be read, or is no regular file
 */
export function openRegular(path: string): number {
  // Windows has no O_NONBLOCK, and no pipes among the files.
  const file = attempt('read', path, () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)))
  try {
    const found = attempt('read', path, () => fstatSync(file))
    if (found.isDirectory())
      throw refused('read', path, Object.assign(new Error(), { code: 'EISDIR', syscall: 'open' }))
    if (!found.isFile())
      throw new LogFileError(
        path,
        'refused',
        `cannot read ${path}: a pipe or device cannot be read more than once; write its bytes to a file first`,
      )
    return file
  } catch (error) {
    closeRead(file)
    throw error
  }
}

/** Checks that a log can be read twice. @throws LogFileError if the log cannot be read, or is no regular file */
export function assertRereadable(path: string): void {
  closeRead(openRegular(path))
}

/**
 * Returns the bytes of a small file beside a log, such as a lock or an index.
 *
 * @param limit most bytes of the file
 * @throws LogFileError if the file cannot be read, is no regular file or has more than `limit` bytes
 */
export function readSmallFile(path: string, limit: number): Uint8Array {
  const file = openRegular(path)
  try {
    return attempt('read', path, () => {
      const { size } = fstatSync(file)
      if (size > limit)
        throw new LogFileError(path, 'refused', `cannot read ${path}: the file has more than ${limit} bytes`)
      const bytes = Buffer.alloc(size)
      let length = 0
      for (let read = -1; read !== 0 && length < size; length += read)
        read = readSync(file, bytes, length, size - length, length)
      return bytes.subarray(0, length)
    })
  } finally {
    closeRead(file)
  }
}
