import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

/** File of lines that this process appends to. An incomplete last line is cut off when the file is opened. */
export class AppendedLines {
  /** Last complete line of the file when the file was opened, or undefined for an empty file. */
  readonly last: string | undefined
  readonly #file: number

  /** Opens or creates the file of lines. @throws the error of the operating system */
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
