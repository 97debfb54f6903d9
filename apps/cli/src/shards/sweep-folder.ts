import { hostname } from 'node:os'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { withPath } from '../files/with-path.ts'

/** What a sweep over several processes keeps, by kind: files that one worker writes each, and the claims of cells. */
const folders = ['results', 'times', 'failures', 'workers', 'claims', 'checks'] as const

export type FolderKind = (typeof folders)[number]

/** `experiment.json` is swept in `experiment.sweep`, in the working directory. */
export function sweepFolderOf(experiment: string): string {
  return `${basename(experiment, extname(experiment))}.sweep`
}

/** The folder that the workers of a sweep share. Nothing in it is ever written by two of them, nor written twice. */
export class SweepFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** @throws what the operating system says, with the path */
  make(): void {
    for (const kind of folders) withPath(this.path, () => mkdirSync(join(this.path, kind), { recursive: true }))
  }

  exists(): boolean {
    return statSync(join(this.path, 'results'), { throwIfNoEntry: false })?.isDirectory() === true
  }

  file(kind: FolderKind, name: string): string {
    return join(this.path, kind, name)
  }

  /** The names of the files of a kind, in order; what is still being put in its place is none. */
  names(kind: FolderKind): ReadonlyArray<string> {
    return withPath(this.path, () => readdirSync(join(this.path, kind)))
      .filter((name) => !name.startsWith('.'))
      .sort()
  }

  /** The text of a file; undefined where there is none. */
  text(kind: FolderKind, name: string): string | undefined {
    try {
      return readFileSync(this.file(kind, name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** What time it is where the files are, in ms: the clocks of hosts differ, and that of the file system dates all of its files. */
  now(): number {
    const probe = join(this.path, `.${randomBytes(8).toString('hex')}.now`)
    try {
      writeFileSync(probe, '')
      return statSync(probe).mtimeMs
    } catch {
      // A folder that can only be read.
      return Date.now()
    } finally {
      rmSync(probe, { force: true })
    }
  }
}

/** A name that no other worker has, whatever host it is on. */
export function newWorkerName(): string {
  const host = hostname().replaceAll(/[^a-zA-Z0-9]+/g, '-')
  return `${host}-${process.pid}-${randomBytes(4).toString('hex')}`
}
