import { LeaseDisk } from '../src/drive/lease-file.ts'

type Disk = typeof LeaseDisk.Service
type Call = keyof Disk

/** Files in memory. A test decides whether requests fail, wait for ever, or meet a change by a second process. */
export class FailingDisk {
  readonly files = new Map<string, string>()
  /** Function that is called before each request. It may throw, or return a promise that never settles. */
  before: (call: Call, path: string) => void | Promise<void> = () => {}

  readonly disk: Disk = {
    readdir: async (folder) => {
      await this.before('readdir', folder)
      return [...this.files.keys()].map((path) => path.slice(folder.length + 1))
    },
    readFile: async (path) => {
      await this.before('readFile', path)
      return this.files.get(path) ?? refuse('ENOENT', path)
    },
    writeFile: async (path, text) => {
      await this.before('writeFile', path)
      this.files.set(path, text)
    },
    link: async (from, to) => {
      await this.before('link', to)
      if (this.files.has(to)) refuse('EEXIST', to)
      this.files.set(to, this.files.get(from) ?? refuse('ENOENT', from))
    },
    rm: async (path) => {
      await this.before('rm', path)
      this.files.delete(path)
    },
    mkdir: async (path) => this.before('mkdir', path),
    rmdir: async (path) => this.before('rmdir', path),
  }
}

/** Throws an error as the operating system would. */
export function refuse(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code, path })
}
