import { type BigIntStats, fstatSync, readSync, statSync } from 'node:fs'
import { attempt } from './file-error.ts'

/** Most bytes at the end of the read part that are compared again. */
const TAIL = 4096

/** Notices changes by other programs to a file that is being read: an append, a cut, an overwrite, a replacement. */
export class FileWatch {
  readonly #path: string
  readonly #file: number
  readonly #opened: BigIntStats
  /** Stamp of the file when there was nothing more to read. */
  #rested: string
  /** Stamp of the file when its beginning was last known to be the read bytes. */
  #known: string
  #isOther = false
  /** Number of bytes read, and the last of the bytes read. */
  #position = 0
  #tail: Uint8Array = new Uint8Array(0)

  /** Watches a file from now on. @param file open; its present state counts as a state with nothing more to read */
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
   * Notes bytes that were read after the earlier bytes; an empty chunk means that there was nothing more.
   *
   * @returns false if the file no longer begins with the earlier bytes: the chunk belongs to another file
   * @throws LogFileError
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
    // The next check may come before a read that finds nothing more. The file may have grown or been cut since the read.
    if (now.size === BigInt(this.#position)) this.#rested = stamp
    this.#tail = (chunk.length < TAIL ? Buffer.concat([this.#tail, chunk]) : chunk).slice(-TAIL)
    return true
  }

  /**
   * Returns the change since there was nothing more to read. `none`: no change. `grown`: longer, as far as the size and
   * the last read bytes tell. `gone`: the file no longer exists. `other`: the file does not begin with the read bytes.
   *
   * @throws LogFileError
   */
  look(): 'none' | 'grown' | 'gone' | 'other' {
    if (this.#isOther) return 'other'
    const now = attempt('read', this.#path, () => statSync(this.#path, { throwIfNoEntry: false, bigint: true }))
    if (now === undefined) return 'gone'
    if (now.ino !== this.#opened.ino || now.dev !== this.#opened.dev) return 'other'
    if (stampOf(now) === this.#rested) return 'none'
    return now.size > this.#position && this.#hasItsTail() ? 'grown' : 'other'
  }

  /** Returns true if the last read bytes are unchanged; false if the file is shorter. */
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

/**
 * Returns the size and two times. A program that resets the time of the last write leaves the time of the last change.
 */
function stampOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs}`
}
