import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { withPath } from '@cloister/run/node'
import { Schema } from 'effect'
import type { SweepFolder } from './sweep-folder.ts'

/** Largest number of workers that may end at a cell without an answer, because the cell may have ended the workers. */
export const MOST_ATTEMPTS = 5

/** Latest claim of a cell: number of the attempt (from 1), and name of the worker. */
export interface Claim {
  readonly attempt: number
  readonly worker: string
}

/**
 * Assignment of the cells of a sweep to the workers of the sweep. A claim is a file `CELL.ATTEMPT` with the name of a
 * worker; no worker changes or removes a claim. If several workers claim an attempt at the same time by creating a hard
 * link, exactly one worker succeeds, also on network file systems. A claim holds while its worker writes heartbeats;
 * afterwards another worker claims the next attempt. If a worker stops writing heartbeats but still runs, a second
 * worker also runs the cell (one run of the experiment); both results are equal.
 */
export class Claims {
  readonly #folder: SweepFolder
  readonly #worker: string
  readonly #leaseSeconds: number
  /** Number of the latest known attempt at each cell, by the digest of the cell. */
  readonly #attempts = new Map<string, number>()

  constructor(folder: SweepFolder, worker: string, leaseSeconds: number) {
    this.#folder = folder
    this.#worker = worker
    this.#leaseSeconds = leaseSeconds
  }

  /** Reads the claims of all workers from the folder of the sweep. */
  refresh(): void {
    for (const name of this.#folder.names('claims')) {
      const [cell, attempt] = name.split('.')
      this.#attempts.set(cell, Math.max(this.#attempts.get(cell) ?? 0, Number(attempt)))
    }
  }

  /** Returns the number of known attempts at a cell, or 0 for a cell without a claim. */
  attemptsAt(cell: string): number {
    return this.#attempts.get(cell) ?? 0
  }

  /** Returns the latest claim of a cell, or undefined for a cell without a claim. */
  of(cell: string): Claim | undefined {
    const attempt = this.attemptsAt(cell)
    if (attempt === 0) return undefined
    return { attempt, worker: this.#folder.text('claims', `${cell}.${attempt}`) ?? '' }
  }

  /**
   * Returns true if the worker of a claim has ended, or wrote no heartbeat for the lease time. Before the first
   * heartbeat, the lease time counts from the claim.
   */
  isAbandoned(cell: string, { attempt, worker }: Claim, now: number): boolean {
    const seen = seenWorker(this.#folder, worker)
    if (seen !== undefined) return isGone(seen, now, this.#leaseSeconds)
    const claimed = statSync(this.#folder.file('claims', `${cell}.${attempt}`), { throwIfNoEntry: false })
    return claimed !== undefined && now - claimed.mtimeMs > this.#leaseSeconds * 1000
  }

  /**
   * Claims an attempt at a cell for this worker. Returns false if another worker has claimed the attempt.
   * @throws the error of the operating system, with the path
   */
  claim(cell: string, attempt: number): boolean {
    const path = this.#folder.file('claims', `${cell}.${attempt}`)
    const own = this.#folder.file('claims', `.${this.#worker}.${cell}`)
    const isMine = withPath(path, () => {
      writeFileSync(own, this.#worker)
      try {
        linkSync(own, path)
        return true
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EPERM' || code === 'ENOTSUP') return isCreated(path, this.#worker)
        if (code !== 'EEXIST') throw error
        // A network file system may lose the response to a successful link. The file `own` then has two links.
        return statSync(own).nlink === 2
      } finally {
        rmSync(own, { force: true })
      }
    })
    this.#attempts.set(cell, Math.max(this.attemptsAt(cell), attempt))
    return isMine
  }
}

/** Creates a file unless the file exists. `claim` calls this function on file systems without hard links. */
function isCreated(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const Beat = Schema.Struct({
  host: Schema.String,
  pid: Schema.Number,
  /** Shard of the worker, for example `3/8`, or `1/1` for all cells. */
  shard: Schema.String,
  /** Number of cells that the worker runs at once. */
  threads: Schema.Number,
  ended: Schema.Boolean,
  /** Progress of each running cell by the digest of the cell: the share of ended jobs, 0 to 1. */
  running: Schema.Record(Schema.String, Schema.Number),
})

/** Contents of a heartbeat file. */
export type Beat = typeof Beat.Type

const isBeat = Schema.is(Beat)

/** Heartbeat of a worker, as another worker reads it. */
export interface SeenWorker extends Beat {
  readonly name: string
  /** Time of the heartbeat in ms, by the clock of the file system. */
  readonly at: number
}

/** Heartbeat file of a sweep's worker, with the running cells. The worker writes the file again and again. */
export class Heartbeat {
  readonly #folder: SweepFolder
  readonly #name: string
  readonly #shard: string
  readonly #threads: number
  readonly #running = new Map<string, number>()

  constructor(folder: SweepFolder, name: string, shard: string, threads: number) {
    this.#folder = folder
    this.#name = name
    this.#shard = shard
    this.#threads = threads
  }

  /** Notes the progress of a running cell for the next heartbeat. @param share share of ended jobs, 0 to 1 */
  at(cell: string, share: number): void {
    this.#running.set(cell, share)
  }

  leave(cell: string): void {
    this.#running.delete(cell)
  }

  /**
   * Writes a heartbeat. Returns the time in ms, by the clock of the file system.
   * @throws the error of the operating system, with the path
   */
  beat(ended = false): number {
    const path = this.#folder.file('workers', `${this.#name}.json`)
    const part = this.#folder.file('workers', `.${this.#name}.part`)
    const beat: Beat = {
      host: hostname(),
      pid: process.pid,
      shard: this.#shard,
      threads: this.#threads,
      ended,
      running: Object.fromEntries(this.#running),
    }
    return withPath(path, () => {
      writeFileSync(part, JSON.stringify(beat))
      renameSync(part, path)
      return statSync(path).mtimeMs
    })
  }
}

/** Returns the latest heartbeats of all workers, by the name of the worker. */
export function seenWorkers(folder: SweepFolder): ReadonlyMap<string, SeenWorker> {
  const seen = new Map<string, SeenWorker>()
  for (const file of folder.names('workers')) {
    const name = file.replace(/\.json$/, '')
    const worker = seenWorker(folder, name)
    if (worker !== undefined) seen.set(name, worker)
  }
  return seen
}

/** Returns the latest heartbeat of a worker, or undefined before the first heartbeat. */
export function seenWorker(folder: SweepFolder, name: string): SeenWorker | undefined {
  const text = folder.text('workers', `${name}.json`)
  const at = statSync(folder.file('workers', `${name}.json`), { throwIfNoEntry: false })?.mtimeMs
  if (text === undefined || at === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isBeat(value) ? { ...value, name, at } : undefined
  } catch {
    return undefined
  }
}

/** Returns true if a worker has ended or is unknown, or wrote no heartbeat within the lease time before `now`. */
export function isGone(worker: SeenWorker | undefined, now: number, leaseSeconds: number): boolean {
  return worker === undefined || worker.ended || now - worker.at > leaseSeconds * 1000
}
