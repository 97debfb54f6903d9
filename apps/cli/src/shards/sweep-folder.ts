import { hostname } from 'node:os'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { withPath } from '@cloister/run/node'

/** Subfolders of the folder of a sweep. In all subfolders except `claims`, each worker writes only its own files. */
const folders = ['results', 'times', 'failures', 'workers', 'claims', 'checks'] as const

export type FolderKind = (typeof folders)[number]

/** Returns the default folder of the sweep of an experiment: `a.sweep` in the working directory for `a.json`. */
export function sweepFolderOf(experiment: string): string {
  return `${basename(experiment, extname(experiment))}.sweep`
}

/** Folder shared by the workers of a sweep, in which no two workers write the same file. */
export class SweepFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Creates the folder with all subfolders. @throws the error of the operating system, with the path */
  make(): void {
    for (const kind of folders) withPath(this.path, () => mkdirSync(join(this.path, kind), { recursive: true }))
  }

  exists(): boolean {
    return statSync(join(this.path, 'results'), { throwIfNoEntry: false })?.isDirectory() === true
  }

  file(kind: FolderKind, name: string): string {
    return join(this.path, kind, name)
  }

  /** Returns the sorted names of the files in a subfolder, without temporary files. */
  names(kind: FolderKind): ReadonlyArray<string> {
    return withPath(this.path, () => readdirSync(join(this.path, kind)))
      .filter((name) => !name.startsWith('.'))
      .sort()
  }

  /** Returns the text of a file in a subfolder, or undefined for a missing file. */
  text(kind: FolderKind, name: string): string | undefined {
    try {
      return readFileSync(this.file(kind, name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Returns the time in ms by the clock of the file system, because the clocks of hosts may differ. */
  now(): number {
    const probe = join(this.path, `.${randomBytes(8).toString('hex')}.now`)
    try {
      writeFileSync(probe, '')
      return statSync(probe).mtimeMs
    } catch {
      // Without the right to write into the folder, `now` returns the time by the clock of this host.
      return Date.now()
    } finally {
      rmSync(probe, { force: true })
    }
  }
}

/** Returns a new name for a worker, different from all workers on all hosts. */
export function newWorkerName(): string {
  const host = hostname().replaceAll(/[^a-zA-Z0-9]+/g, '-')
  return `${host}-${process.pid}-${randomBytes(4).toString('hex')}`
}
