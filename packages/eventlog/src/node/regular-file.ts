import { constants, fstatSync, openSync, readSync } from 'node:fs'
import { attempt, closeRead, LogFileError, refused } from './file-error.ts'

/**
 * Opens a file whose bytes can be had more than once, without waiting for whoever might write into a pipe of that name.
 *
 * @throws LogFileError where it cannot be read, or is no regular file
 */
export function openRegular(path: string): number {
  // Windows has no such flag, and no pipes among its files.
  const file = attempt('read', path, () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)))
  try {
    const found = attempt('read', path, () => fstatSync(file))
    if (found.isDirectory())
      throw refused('read', path, Object.assign(new Error(), { code: 'EISDIR', syscall: 'open' }))
    if (!found.isFile())
      throw new LogFileError(
        path,
        'refused',
        `cannot read ${path}: it is a pipe or a device, and has to be read more than once; keep it in a file first`,
      )
    return file
  } catch (error) {
    closeRead(file)
    throw error
  }
}

/**
 * Makes sure that the bytes of a log can be had again.
 *
 * @throws LogFileError where it cannot be read, or is no regular file
 */
export function assertRereadable(path: string): void {
  closeRead(openRegular(path))
}

/**
 * The bytes of a small file that stands beside a log.
 *
 * @param limit bytes that it may hold
 * @throws LogFileError where it cannot be read, is no regular file or larger
 */
export function readSmallFile(path: string, limit: number): Uint8Array {
  const file = openRegular(path)
  try {
    return attempt('read', path, () => {
      const { size } = fstatSync(file)
      if (size > limit) throw new LogFileError(path, 'refused', `cannot read ${path}: it has more than ${limit} bytes`)
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
