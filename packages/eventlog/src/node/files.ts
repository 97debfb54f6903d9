import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import type { HashFunction } from '../log/hash-function.ts'

/**
 * Reason why a file cannot be read or written. `exists`: the file must not be overwritten. `locked`: another process
 * writes the file. `replaced`: the file was deleted or replaced while it was being written. `changed`: another program
 * wrote into the file while it was being written. `refused`: the operating system (with a `code`) or this program
 * refuses the file.
 */
export type LogFileReason = 'exists' | 'locked' | 'replaced' | 'changed' | 'refused'

/** Error for a file that cannot be opened, read, made or written, with a message that names file and reason. */
export class LogFileError extends Error {
  readonly _tag: 'LogFileError' = 'LogFileError'
  override readonly name: string = 'LogFileError'
  readonly path: string
  readonly reason: LogFileReason
  /** Error code of the operating system, such as `ENOENT` or `ENOSPC`; undefined if this program refused the file. */
  readonly code: string | undefined

  constructor(path: string, reason: LogFileReason, message: string, cause?: NodeJS.ErrnoException) {
    super(message, cause === undefined ? {} : { cause })
    this.path = path
    this.reason = reason
    this.code = cause?.code
  }
}

/** Returns a LogFileError for an error of the operating system. Its message names action, path and cause. */
export function refused(action: 'read' | 'write', path: string, cause: NodeJS.ErrnoException): LogFileError {
  const code = cause.code ?? 'unknown'
  const message = `cannot ${action} ${path}: ${REASONS[action][code] ?? cause.message}`
  return new LogFileError(path, code === 'EEXIST' ? 'exists' : 'refused', message, cause)
}

const COMMON_REASONS: { readonly [code: string]: string } = {
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
}
const REASONS: { readonly [Action in 'read' | 'write']: { readonly [code: string]: string } } = {
  read: {
    ...COMMON_REASONS,
    ENOENT: 'there is no such file',
    EACCES: 'you may not read it',
    EPERM: 'you may not read it',
  },
  write: {
    ...COMMON_REASONS,
    EEXIST: 'the file exists; choose another name or force overwriting it',
    ENOENT: 'its folder does not exist',
    EACCES: 'you may not write there',
    EPERM: 'you may not write there',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your disk quota is used up',
    EFBIG: 'the file would become too large',
    EPIPE: 'the process that read the pipe has ended',
  },
}

/** Runs a file operation and turns errors of the operating system into LogFileErrors. */
export function attempt<T>(action: 'read' | 'write', path: string, operation: () => T): T {
  try {
    return operation()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw refused(action, path, error as NodeJS.ErrnoException)
  }
}

/** Closes a file that was read, and ignores errors. */
export function closeRead(file: number): void {
  try {
    closeSync(file)
  } catch {
    // A file that was only read loses no bytes if closing fails.
  }
}

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

/** Number of the last read bytes that `FileWatch` compares again with the bytes in the file. */
const TAIL = 4096

/** Watch over a file that is being read: notices if another program extends, cuts, overwrites or replaces the file. */
export class FileWatch {
  readonly #path: string
  readonly #file: number
  readonly #opened: BigIntStats
  /** Stamp (size and times) of the file when all its bytes had been read. */
  #rested: string
  /** Stamp (size and times) of the file when the file was last known to begin with the read bytes. */
  #known: string
  #isOther = false
  /** Number of bytes read; `#tail` has the last of these bytes, at most `TAIL`. */
  #position = 0
  #tail: Uint8Array = new Uint8Array(0)

  /** @param file descriptor of the open file; its present stamp counts as the stamp after all bytes were read */
  constructor(path: string, file: number) {
    this.#path = path
    this.#file = file
    this.#opened = this.#stat()
    this.#rested = stampOf(this.#opened)
    this.#known = this.#rested
  }

  /** True if the file was found not to begin with the read bytes. */
  get isOther(): boolean {
    return this.#isOther
  }

  /**
   * Notes the chunk that was read after the earlier bytes; an empty chunk means that the end of the file was reached.
   *
   * @returns false if the file no longer begins with the earlier bytes: the chunk belongs to another file
   * @throws LogFileError if the file cannot be read
   */
  read(chunk: Uint8Array): boolean {
    const now = this.#stat()
    const stamp = stampOf(now)
    if (stamp !== this.#known && !this.#hasItsTail()) {
      this.#isOther = true
      return false
    }
    this.#known = stamp
    this.#position += chunk.length
    // `look` may be called before a read finds the end of the file, so the stamp is taken once all bytes were read.
    if (now.size === BigInt(this.#position)) this.#rested = stamp
    this.#tail = (chunk.length < TAIL ? Buffer.concat([this.#tail, chunk]) : chunk).slice(-TAIL)
    return true
  }

  /**
   * Returns the change of the file since all its bytes had been read. `none`: the stamp (size and times) of the file is
   * the same. `grown`: the file is longer, and the last read bytes are unchanged. `gone`: the file no longer exists.
   * `other`: the path leads to another file, or the bytes of the file have changed.
   *
   * @throws LogFileError if the file cannot be read
   */
  look(): 'none' | 'grown' | 'gone' | 'other' {
    if (this.#isOther) return 'other'
    const now = attempt('read', this.#path, () => statSync(this.#path, { throwIfNoEntry: false, bigint: true }))
    if (now === undefined) return 'gone'
    if (now.ino !== this.#opened.ino || now.dev !== this.#opened.dev) return 'other'
    if (stampOf(now) === this.#rested) return 'none'
    return now.size > this.#position && this.#hasItsTail() ? 'grown' : 'other'
  }

  #hasItsTail(): boolean {
    const found = Buffer.alloc(this.#tail.length)
    const at = this.#position - this.#tail.length
    const length = attempt('read', this.#path, () => readSync(this.#file, found, 0, found.length, at))
    return length === found.length && found.equals(this.#tail)
  }

  #stat(): BigIntStats {
    return attempt('read', this.#path, () => fstatSync(this.#file, { bigint: true }))
  }
}

/** Returns size, mtime and ctime: a program can reset the mtime of a file, but not its ctime. */
function stampOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs}`
}

/** SHA-256 of `node:crypto`, as the hash function for readers and writers of logs. */
export const sha256: HashFunction = () => createHash('sha256')
