import { type BigIntStats, fstatSync, readSync, statSync } from 'node:fs'
import { attempt } from './file-error.ts'

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
