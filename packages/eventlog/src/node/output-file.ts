import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import { attempt, LogFileError, type LogFileReason } from './file-error.ts'
import { isStream, lockForWriting, type WriterLock } from './writer-lock.ts'

/** `create`: only where there is no file yet; `append`: behind what there is, if anything. Streams just take what is written. */
export type OutputMode = 'create' | 'overwrite' | 'append'

const FLAGS: { readonly [Mode in OutputMode]: string } = { create: 'wx', overwrite: 'w', append: 'a' }

/** A file that this process alone writes, and whose bytes are all there when it is closed, or an error says why not. */
export class OutputFile {
  readonly path: string
  readonly #file: number
  readonly #isStream: boolean
  readonly #lock: WriterLock | undefined
  /** Bytes that the file holds by what was done here. */
  #length = 0
  #isOpen = true
  #hasFailed = false

  /** @throws LogFileError where it cannot be opened, or another process writes it */
  constructor(path: string, mode: OutputMode) {
    this.path = path
    this.#isStream = isStream(path)
    this.#lock = this.#isStream ? undefined : lockForWriting(path)
    try {
      this.#file = attempt('write', path, () => openSync(path, this.#isStream ? 'w' : FLAGS[mode]))
      if (mode === 'append') this.#length = fstatSync(this.#file).size
    } catch (error) {
      this.#lock?.release()
      throw error
    }
  }

  /** @throws LogFileError where the bytes cannot be kept */
  write(bytes: Uint8Array): void {
    this.#hasFailed = true
    for (let at = 0; at < bytes.length;) at += attempt('write', this.path, () => writeSync(this.#file, bytes, at))
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
      if (!this.#isStream && !this.#hasFailed) this.#checkPresent()
    } finally {
      try {
        attempt('write', this.path, () => closeSync(this.#file))
      } finally {
        this.#lock?.release()
      }
    }
  }

  #checkPresent(): void {
    const written = fstatSync(this.#file)
    const there = statSync(this.path, { throwIfNoEntry: false })
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

function failure(path: string, reason: LogFileReason, problem: string): LogFileError {
  return new LogFileError(path, reason, `cannot write ${path}: ${problem}`)
}
