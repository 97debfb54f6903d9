import { type BigIntStats, fstatSync, readSync, statSync } from 'node:fs'
import { attempt } from './file-error.ts'

/** Bytes at the end of what was read that are looked at again. */
const TAIL = 4096

/** Notices what other programs do to a file that is being read: append to it, cut it off, write over it, replace it. */
export class FileWatch {
  readonly #path: string
  readonly #file: number
  readonly #opened: BigIntStats
  /** Of the file when there was nothing more to read. */
  #rested: string
  /** Of the file when it was last known to begin with what was read. */
  #known: string
  #isOther = false
  /** Bytes that were read, and the last of them. */
  #position = 0
  #tail: Uint8Array = new Uint8Array(0)

  /** @param file open; as it is now counts as what it was when there was nothing more to read */
  constructor(path: string, file: number) {
    this.#path = path
    this.#file = file
    this.#opened = this.#stat()
    this.#rested = stampOf(this.#opened)
    this.#known = this.#rested
  }

  /** Whether it was found not to begin with what was read. */
  get isOther(): boolean {
    return this.#isOther
  }

  /**
   * Takes note of bytes that were read behind those before; none: there was nothing more.
   *
   * @returns false where the file does not begin with those before any more: what was read is of another one
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
    // It may have grown since it was read.
    if (chunk.length === 0 && now.size <= this.#position) this.#rested = stamp
    this.#position += chunk.length
    this.#tail = (chunk.length < TAIL ? Buffer.concat([this.#tail, chunk]) : chunk).slice(-TAIL)
    return true
  }

  /**
   * What happened since it rested: nothing; `grown`, as far as its size and the last bytes that were read tell; `gone`, there
   * is no such file any more; `other`, it does not begin with what was read.
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

  /** False too where it is shorter. */
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

/** Who sets the time of the last write back still leaves that of the last change. */
function stampOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs}`
}
