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

/** `create`: only where there is no file yet; `append`: behind what there is, if anything. Streams just take what is written. */
export type OutputMode = 'create' | 'overwrite' | 'append'

/**
 * Everything goes behind what is there, so that of a file that another program empties nobody takes the rest for the whole:
 * it is shorter than what was written.
 */
const FLAGS: { readonly [Mode in OutputMode]: string | number } = {
  create: 'ax',
  overwrite: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND,
  append: 'a',
}

/** When bytes are put on the disk itself, to outlast a crash of the machine: with each write, at the end, never. */
export type SyncedAt = 'write' | 'end' | 'never'

/** A file that this process alone writes, and whose bytes are all there when it is closed, or an error says why not. */
export class OutputFile {
  readonly path: string
  readonly #file: number
  readonly #isStream: boolean
  readonly #lock: WriterLock | undefined
  readonly #syncedAt: SyncedAt
  /** Bytes that the file holds by what was done here. */
  #length = 0
  #isOpen = true
  #hasFailed = false

  /** @throws LogFileError where it cannot be opened, or another process writes it */
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

  /** @throws LogFileError where the bytes cannot be kept */
  write(bytes: Uint8Array): void {
    const isSynced = !this.#isStream && this.#syncedAt === 'write'
    // Whoever acts on what is written has to know at once.
    if (isSynced) this.#checkPresent()
    this.#hasFailed = true
    for (let at = 0; at < bytes.length;) at += attempt('write', this.path, () => writeSync(this.#file, bytes, at))
    if (isSynced) attempt('write', this.path, () => fdatasyncSync(this.#file))
    this.#hasFailed = false
    this.#length += bytes.length
  }

  /** Drops what is behind the first `length` bytes. */
  truncate(length: number): void {
    attempt('write', this.path, () => ftruncateSync(this.#file, length))
    this.#length = length
  }

  /** @throws LogFileError where the last bytes could not be kept, or the file is no longer what was written */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      // After a failed write there is an error already, and a better one.
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

  /** Not every file system can; then the bytes are as safe as it makes them. */
  #syncEnd(): void {
    try {
      fsyncSync(this.#file)
    } catch (error) {
      if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? ''))
        throw refused('write', this.path, error as NodeJS.ErrnoException)
    }
    this.#syncFolder()
  }

  /** A new file is lost with its folder's entry. Where folders cannot be opened (Windows), entries are not lost. */
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

/** What file systems say that cannot put a file or a folder on the disk at once. */
const CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EPERM', 'EISDIR'])

function failure(path: string, reason: LogFileReason, problem: string): LogFileError {
  return new LogFileError(path, reason, `cannot write ${path}: ${problem}`)
}
