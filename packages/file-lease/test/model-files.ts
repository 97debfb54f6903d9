import type { FileCalls } from '../src/index.ts'

/** Files of one folder in memory. */
export class ModelFiles {
  readonly #files = new Map<string, string>()
  #hasFolder = false
  readonly #isExclusive: boolean

  /** @param isExclusive false for a file system on which a link replaces a file */
  constructor(isExclusive: boolean) {
    this.#isExclusive = isExclusive
  }

  remove(folder: string): void {
    for (const path of this.#files.keys()) if (path.startsWith(`${folder}/`)) this.#files.delete(path)
  }

  readonly calls: FileCalls = {
    readdir: () => {
      if (!this.#hasFolder) throw refuse('ENOENT')
      return [...this.#files.keys()].map((path) => path.replace('lease/', ''))
    },
    readFile: (path) => this.#read(path),
    writeFile: (path, text, { flag }) => {
      if (!this.#hasFolder) throw refuse('ENOENT')
      if (flag === 'wx' && this.#files.has(path)) throw refuse('EEXIST')
      this.#files.set(path, text)
    },
    link: (from, to) => {
      const text = this.#read(from)
      if (this.#isExclusive && this.#files.has(to)) throw refuse('EEXIST')
      this.#files.set(to, text)
    },
    mkdir: () => {
      if (this.#hasFolder) throw refuse('EEXIST')
      this.#hasFolder = true
    },
    rm: (path) => void this.#files.delete(path),
    rmdir: () => {
      if (this.#files.size > 0) throw refuse('ENOTEMPTY')
      this.#hasFolder = false
    },
  }

  #read(path: string): string {
    const text = this.#files.get(path)
    if (text === undefined) throw refuse('ENOENT')
    return text
  }
}

/** Returns an error of the operating system. */
export function refuse(code: string): Error {
  return Object.assign(new Error(code), { code })
}
