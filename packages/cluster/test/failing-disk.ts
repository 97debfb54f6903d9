import { LeaseDisk } from '../src/drive/lease-file.ts'

type Disk = typeof LeaseDisk.Service
type Call = 'readFile' | 'writeFile' | 'rename' | 'rm'

/** Files in memory. A test decides whether requests fail, wait for ever, or meet a change by a second process. */
export class FailingDisk {
  readonly files = new Map<string, string>()
  /** Function that is called before each request. It may throw, or return a promise that never settles. */
  before: (call: Call, path: string) => void | Promise<void> = () => {}

  readonly disk: Disk = {
    readFile: (async (path: string) => {
      await this.before('readFile', path)
      return this.files.get(path) ?? refuse('ENOENT', path)
    }) as unknown as Disk['readFile'],
    writeFile: (async (path: string, text: string, options?: { readonly flag?: string }) => {
      await this.before('writeFile', path)
      if (options?.flag === 'wx' && this.files.has(path)) refuse('EEXIST', path)
      this.files.set(path, text)
    }) as unknown as Disk['writeFile'],
    rename: (async (from: string, to: string) => {
      await this.before('rename', to)
      this.files.set(to, this.files.get(from) ?? refuse('ENOENT', from))
      this.files.delete(from)
    }) as unknown as Disk['rename'],
    rm: (async (path: string) => {
      await this.before('rm', path)
      this.files.delete(path)
    }) as unknown as Disk['rm'],
  }
}

/** Throws an error as the operating system would. */
export function refuse(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code, path })
}
