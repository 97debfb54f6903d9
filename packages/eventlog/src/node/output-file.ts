import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { attempt, closeRead, LogFileError, type LogFileReason, refused } from './file-error.ts'
import { isStream, lockForWriting, type WriterLock } from './writer-lock.ts'

/**
 * Mode of opening. `create`: only if no file exists. `append`: after the existing bytes, if any. A pipe or device takes
 * bytes in every mode.
 */
export type OutputMode = 'create' | 'overwrite' | 'append'

/**
 * Flags of each mode. All writes append. If another program empties the file, the file is then shorter than the written
 * bytes, and nobody takes the rest for the whole.
 */
const FLAGS: { readonly [Mode in OutputMode]: string | number } = {
  create: 'ax',
  overwrite: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND,
  append: 'a',
}

/**
 * Time at which bytes are put on the disk itself, to outlast a crash of the machine: with each write, at the end,
 * never.
 */
export type SyncedAt = 'write' | 'end' | 'never'

/** File that only this process writes. At the close all bytes are in the file, or an error says why not. */
export class OutputFile {
  readonly path: string
  readonly #file: number
  readonly #isStream: boolean
  readonly #lock: WriterLock | undefined
  readonly #syncedAt: SyncedAt
  /** Length of the file in bytes, after all operations of this process. */
  #length = 0
  #isOpen = true
  #hasFailed = false

  /** Opens the file. @throws LogFileError if the file cannot be opened, or another process writes the file */
  constructor(path: string, mode: OutputMode, syncedAt: SyncedAt = 'end') {
    this.path = path
    this.#syncedAt = syncedAt
    this.#isStream = isStream(path)
    this.#lock = this.#isStream ? undefined : lockForWriting(path)
    try {
      this.#file = attempt('write', path, () => openSync(path, this.#isStream ? 'w' : FLAGS[mode]))
      if (mode === 'append') this.#length = attempt('write', path, () => fstatSync(this.#file)).size
      if (!this.#isStream && syncedAt === 'write') this.#syncFolder()
    } catch (error) {
      this.#lock?.release()
      throw error
    }
  }

  /** Writes bytes at the end. @throws LogFileError if the bytes cannot be kept */
  write(bytes: Uint8Array): void {
    const isSynced = !this.#isStream && this.#syncedAt === 'write'
    // A reader may act on the bytes, so a missing file is an error at once.
    if (isSynced) this.#checkPresent()
    this.#hasFailed = true
    for (let at = 0; at < bytes.length;) at += attempt('write', this.path, () => writeSync(this.#file, bytes, at))
    if (isSynced) attempt('write', this.path, () => fdatasyncSync(this.#file))
    this.#hasFailed = false
    this.#length += bytes.length
  }

  /** Drops all bytes after the first `length` bytes. */
  truncate(length: number): void {
    attempt('write', this.path, () => ftruncateSync(this.#file, length))
    this.#length = length
  }

  /**
   * Closes the file. @throws LogFileError if the last bytes could not be kept, or the file is not the written file any
   * more
   */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      // After a failed write there is already a better error.
      if (!this.#isStream && !this.#hasFailed) {
        this.#checkPresent()
        if (this.#syncedAt === 'end') this.#syncEnd()
      }
    } finally {
      try {
        attempt('write', this.path, () => closeSync(this.#file))
      } finally {
        this.#lock?.release()
      }
    }
  }

  /** Puts the file on the disk. If a file system cannot, the bytes are as safe as the file system makes them. */
  #syncEnd(): void {
    try {
      fsyncSync(this.#file)
    } catch (error) {
      if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? ''))
        throw refused('write', this.path, error as NodeJS.ErrnoException)
    }
    this.#syncFolder()
  }

  /**
   * Puts the entry of the folder on the disk, because a new file is lost without the entry. Folders cannot be opened on
   * Windows, but entries are not lost there.
   */
  #syncFolder(): void {
    let folder: number | undefined
    try {
      folder = openSync(dirname(this.path), 'r')
      fsyncSync(folder)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!CANNOT_SYNC.has(code)) throw refused('write', this.path, error as NodeJS.ErrnoException)
    } finally {
      if (folder !== undefined) closeRead(folder)
    }
  }

  #checkPresent(): void {
    const [written, there] = attempt('write', this.path, () => [
      fstatSync(this.#file),
      statSync(this.path, { throwIfNoEntry: false }),
    ])
    if (there === undefined || there.ino !== written.ino || there.dev !== written.dev) {
      throw failure(this.path, 'replaced', 'it was deleted or replaced while it was being written, so the log is lost')
    }
    if (written.size !== this.#length)
      throw failure(
        this.path,
        'changed',
        'another program changed it while it was being written; it has to be written again',
      )
  }
}

/** Error codes of file systems that cannot put a file or a folder on the disk at once. */
const CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EPERM', 'EISDIR'])

function failure(path: string, reason: LogFileReason, problem: string): LogFileError {
  return new LogFileError(path, reason, `cannot write ${path}: ${problem}`)
}
