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
  /** Bytes that were read, and the last of them. */
  #position = 0
  #tail: Uint8Array = new Uint8Array(0)

  /** @param file open; as it is now counts as what it was when there was nothing more to read */
  constructor(path: string, file: number) {
    this.#path = path
    this.#file = file
    this.#opened = this.#stat()
    this.#rested = stampOf(this.#opened)
  }

  /** Changes with every change of the file. @throws LogFileError */
  stamp(): string {
    return stampOf(this.#stat())
  }

  /** Takes note of bytes that were read behind those before. */
  read(chunk: Uint8Array): void {
    this.#position += chunk.length
    this.#tail = chunk.slice(-TAIL)
  }

  /** Says that nothing more could be read. @param stamp as it was just before */
  rest(stamp: string): void {
    this.#rested = stamp
  }

  /**
   * What happened since it rested: nothing; `grown`, as far as its size and the last bytes that were read tell; `gone`, there
   * is no such file any more; `other`, it does not begin with what was read.
   *
   * @throws LogFileError
   */
  look(): 'none' | 'grown' | 'gone' | 'other' {
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

/** Who sets the time of the last write back still leaves that of the last change. */
function stampOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs}`
}
