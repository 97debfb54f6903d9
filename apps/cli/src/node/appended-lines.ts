import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

/** A file of lines that only grows. A last line that is cut off is dropped. */
export class AppendedLines {
  /** The last whole line that was there. */
  readonly last: string | undefined
  readonly #file: number

  /** @throws what the operating system says */
  constructor(path: string) {
    this.#file = openSync(path, 'a+')
    const text = readFileSync(this.#file)
    const length = text.lastIndexOf('\n') + 1
    if (length < text.length) ftruncateSync(this.#file, length)
    this.last = length === 0 ? undefined : text.toString('utf8', text.lastIndexOf('\n', length - 2) + 1, length - 1)
  }

  write(line: string): void {
    writeSync(this.#file, `${line}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}
