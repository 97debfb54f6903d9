import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, extname, join } from 'node:path'
import { withPath } from '@cloister/run/node'
import { type CellResult, type CellTimes, digestOf } from './cell-result.ts'
import { timesIn, timesLine } from './times-file.ts'

/** Subfolders of the folder of a sweep. In all subfolders except `claims`, each worker writes only its own files. `claims` has a folder for each cell. */
const folders = ['results', 'times', 'failures', 'workers', 'claims', 'checks'] as const

/** Name of a subfolder of the folder of a sweep. */
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

/** Failed attempt at a cell, as a worker reports it. */
export interface Failure {
  readonly cell: string
  /** Number of the attempt at the cell, from 1. */
  readonly attempt: number
  readonly reason: string
}

/** Files of one worker in the folder of a sweep. Each file is created with its first line. */
export class WorkerFiles {
  readonly #folder: SweepFolder
  readonly #name: string
  readonly #open = new Map<FolderKind, number>()

  constructor(folder: SweepFolder, name: string) {
    this.#folder = folder
    this.#name = name
  }

  /**
   * Adds the result of a cell, and flushes the result to the disk. From then on, all workers count the cell as done.
   * @throws the error of the operating system
   */
  add(result: CellResult, times: CellTimes): void {
    this.#append('times', timesLine(digestOf(result), times))
    this.#append('results', `${JSON.stringify(result)}\n`, true)
  }

  addFailure(failure: Failure): void {
    this.#append('failures', `${JSON.stringify(failure)}\n`, true)
  }

  addCheck(check: object): void {
    this.#append('checks', `${JSON.stringify(check)}\n`, true)
  }

  close(): void {
    for (const file of this.#open.values()) closeSync(file)
    this.#open.clear()
  }

  #append(kind: FolderKind, line: string, sync = false): void {
    const path = this.#folder.file(kind, `${this.#name}.ndjson`)
    withPath(path, () => {
      const file = this.#open.get(kind) ?? openSync(path, 'ax')
      this.#open.set(kind, file)
      const bytes = Buffer.from(line)
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      if (sync) fsyncSync(file)
    })
  }
}

/** Returns the times of all cells that any worker of a sweep ran, by the digest of the cell. */
export function readTimes(folder: SweepFolder): ReadonlyMap<string, CellTimes> {
  return new Map(folder.names('times').flatMap((name) => [...timesIn(folder.text('times', name) ?? '')]))
}
