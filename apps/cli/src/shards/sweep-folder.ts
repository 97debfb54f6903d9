import { hostname } from 'node:os'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { withPath } from '../files/with-path.ts'

/** Subfolders of a sweep. `claims` has the claims of cells. In the rest, each worker writes its own files. */
const folders = ['results', 'times', 'failures', 'workers', 'claims', 'checks'] as const

export type FolderKind = (typeof folders)[number]

/** Returns the default folder of a sweep: `experiment.sweep` in the working directory, for `experiment.json`. */
export function sweepFolderOf(experiment: string): string {
  return `${basename(experiment, extname(experiment))}.sweep`
}

/** Folder shared by the workers of a sweep. No two workers write the same file. */
export class SweepFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Creates the folder. @throws the error of the operating system, with the path */
  make(): void {
    for (const kind of folders) withPath(this.path, () => mkdirSync(join(this.path, kind), { recursive: true }))
  }

  exists(): boolean {
    return statSync(join(this.path, 'results'), { throwIfNoEntry: false })?.isDirectory() === true
  }

  file(kind: FolderKind, name: string): string {
    return join(this.path, kind, name)
  }

  /** Returns the names of the files of a kind, sorted. Temporary files are left out. */
  names(kind: FolderKind): ReadonlyArray<string> {
    return withPath(this.path, () => readdirSync(join(this.path, kind)))
      .filter((name) => !name.startsWith('.'))
      .sort()
  }

  /** Returns the text of a file; undefined for a missing file. */
  text(kind: FolderKind, name: string): string | undefined {
    try {
      return readFileSync(this.file(kind, name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /**
   * Returns the current time in ms by the clock of the file system. The clocks of hosts differ, but the file system
   * dates all files by its own clock.
   */
  now(): number {
    const probe = join(this.path, `.${randomBytes(8).toString('hex')}.now`)
    try {
      writeFileSync(probe, '')
      return statSync(probe).mtimeMs
    } catch {
      // The folder may be read-only.
      return Date.now()
    } finally {
      rmSync(probe, { force: true })
    }
  }
}

/** Returns a unique name for a worker on any host. */
export function newWorkerName(): string {
  const host = hostname().replaceAll(/[^a-zA-Z0-9]+/g, '-')
  return `${host}-${process.pid}-${randomBytes(4).toString('hex')}`
}
