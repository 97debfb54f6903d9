import type { FileCalls } from '../src/index.ts'

/** Files of one folder in memory, as several processes see the folder. */
export class ModelFiles {
  readonly #files = new Map<string, string>()
  #hasFolder = false
  readonly #isExclusive: boolean
  /** True while listings may be stale. */
  mayBeStale = true
  /** Names in the folder after each change; undefined while there is no folder. */
  readonly #listings: Array<ReadonlyArray<string> | undefined> = [undefined]

  /** @param isExclusive false for a file system on which a link replaces a file */
  constructor(isExclusive: boolean) {
    this.#isExclusive = isExclusive
  }

  /** Returns the texts of the files, without the drafts of files. */
  texts(): ReadonlyArray<string> {
    return [...this.#files].flatMap(([path, text]) => (path.startsWith('lease/.') ? [] : [text]))
  }

  /** Removes all files and the folder. */
  clear(): void {
    this.#files.clear()
    this.#hasFolder = false
    this.#changed()
  }

  /**
   * Returns the calls of a process. A listing may be stale, as on NFS, but has all changes until the last change by the
   * process itself.
   *
   * @param draw returns a random integer from 0 to below a bound
   */
  callsOf(draw: (below: number) => number): FileCalls {
    let least = 0
    const changed = (): void => void (least = this.#changed())
    return {
      readdir: () => {
        const isStale = this.mayBeStale && draw(4) === 0
        least = isStale ? least + draw(this.#listings.length - least) : this.#listings.length - 1
        return this.#listings[least] ?? refuse('ENOENT')
      },
      readFile: (path) => this.#files.get(path) ?? refuse('ENOENT'),
      writeFile: (path, text, { flag }) => {
        if (!this.#hasFolder) refuse('ENOENT')
        if (flag === 'wx' && this.#files.has(path)) refuse('EEXIST')
        this.#files.set(path, text)
        changed()
      },
      link: (from, to) => {
        const text = this.#files.get(from) ?? refuse('ENOENT')
        if (this.#isExclusive && this.#files.has(to)) refuse('EEXIST')
        this.#files.set(to, text)
        changed()
      },
      mkdir: () => {
        if (this.#hasFolder) refuse('EEXIST')
        this.#hasFolder = true
        changed()
      },
      rm: (path) => {
        this.#files.delete(path)
        changed()
      },
      rmdir: () => {
        if (this.#files.size > 0) refuse('ENOTEMPTY')
        this.#hasFolder = false
        changed()
      },
    }
  }

  /** Notes the present listing, and returns the number of the listing. */
  #changed(): number {
    const names = [...this.#files.keys()].map((path) => path.replace('lease/', ''))
    return this.#listings.push(this.#hasFolder ? names : undefined) - 1
  }
}

/** Throws an error of the operating system. */
export function refuse(code: string): never {
  throw errorOf(code)
}

/** Returns an error of the operating system. */
export function errorOf(code: string): Error {
  return Object.assign(new Error(code), { code })
}
