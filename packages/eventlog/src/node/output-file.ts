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
import { attempt, closeRead, LogFileError, type LogFileReason, refused } from './files.ts'
import { lockForWriting, type WriterLock } from './writer-lock.ts'

/**
 * Mode of opening a file for writing. `create`: fails if the file exists. `overwrite`: drops the bytes of an existing
 * file. `append`: writes after the bytes of an existing file. A pipe or device takes bytes in every mode.
 */
export type OutputMode = 'create' | 'overwrite' | 'append'

/** Every mode appends: a file that another program empties stays too short, and `close` reports the change. */
const FLAGS: { readonly [Mode in OutputMode]: string | number } = {
  create: 'ax',
  overwrite: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND,
  append: 'a',
}

/** Time of syncs, after which bytes survive a crash of the machine: each `write`, the `end` at closing, or `never`. */
type SyncedAt = 'write' | 'end' | 'never'

/** File that only this process writes. After `close`, the file has all written bytes, or an error was thrown. */
export class OutputFile {
  readonly path: string
  readonly #file: number
  readonly #isStream: boolean
  readonly #lock: WriterLock | undefined
  readonly #syncedAt: SyncedAt
  /** Length in bytes that the file has after all operations of this process. */
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

  /** Writes bytes at the end of the file. @throws LogFileError if the bytes cannot be written */
  write(bytes: Uint8Array): void {
    const isSynced = !this.#isStream && this.#syncedAt === 'write'
    // A program may act on synced bytes, so a missing file is an error at once.
    if (isSynced) this.#checkPresent()
    this.#hasFailed = true
    for (let at = 0; at < bytes.length;) at += attempt('write', this.path, () => writeSync(this.#file, bytes, at))
    if (isSynced) attempt('write', this.path, () => fdatasyncSync(this.#file))
    this.#hasFailed = false
    this.#length += bytes.length
  }

  /** Drops all bytes of the file after the first `length` bytes. */
  truncate(length: number): void {
    attempt('write', this.path, () => ftruncateSync(this.#file, length))
    this.#length = length
  }

  /** Closes the file. @throws LogFileError if writing fails, or the file was deleted, replaced or changed meanwhile */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      // A failed `write` has already thrown a more precise error.
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

  /** Syncs the file and its entry in the folder. A file system that cannot sync is no error. */
  #syncEnd(): void {
    try {
      fsyncSync(this.#file)
    } catch (error) {
      if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? ''))
        throw refused('write', this.path, error as NodeJS.ErrnoException)
    }
    this.#syncFolder()
  }

  /** Syncs the folder, because a new file without an entry is lost. Windows opens no folders, but loses no entries. */
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
      throw failure(
        this.path,
        'replaced',
        'the file was deleted or replaced while it was being written, so the log is lost',
      )
    }
    if (written.size !== this.#length)
      throw failure(
        this.path,
        'changed',
        'another program changed the file while it was being written; write the log again',
      )
  }
}

const CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EPERM', 'EISDIR'])

function failure(path: string, reason: LogFileReason, problem: string): LogFileError {
  return new LogFileError(path, reason, `cannot write ${path}: ${problem}`)
}

/** Returns true if a path leads to a pipe, a terminal or a device, whose bytes cannot be read again. */
export function isStream(path: string): boolean {
  const found = attempt('read', path, () => statSync(path, { throwIfNoEntry: false }))
  return found !== undefined && !found.isFile() && !found.isDirectory()
}
