import { renameSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { type Fields, FileLease, runSync, syncCalls } from '@cloister/file-lease'
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
 * Assignment of the cells of a sweep to the workers of the sweep. A claim is a lease on the folder `claims/CELL`. The
 * worker renews the lease while the cell runs, and once more before the result is written. Another worker claims the
 * cell if the lease ends.
 */
export class Claims {
  readonly #folder: SweepFolder
  readonly #worker: string
  readonly #leaseSeconds: number
  /** Leases that this worker holds or has tried to take, by the digest of the cell. */
  readonly #leases = new Map<string, FileLease>()
  /** Numbers of the latest answered attempts, by the digest of the cell. */
  readonly #answered = new Map<string, number>()
  /** Digests of the cells that this worker runs. */
  readonly #running = new Set<string>()

  constructor(folder: SweepFolder, worker: string, leaseSeconds: number) {
    this.#folder = folder
    this.#worker = worker
    this.#leaseSeconds = leaseSeconds
  }

  /** Returns the latest claim of a cell, or undefined for a cell without a claim. */
  of(cell: string): Claim | undefined {
    const newest = withPath(this.#path(cell), () => runSync(this.#leaseOf(cell).newest()))
    return newest === undefined ? undefined : { attempt: attemptOf(newest), worker: String(newest['worker']) }
  }

  /**
   * Claims a cell for this worker. Returns the number of the attempt, or undefined if another worker has the cell.
   *
   * @param answered number of the latest attempt that was answered; its worker has given the claim up
   * @throws the error of the operating system, with the path
   */
  claim(cell: string, answered: number): number | undefined {
    const lease = this.#leaseOf(cell)
    this.#answered.set(cell, answered)
    return withPath(this.#path(cell), () => {
      if (!runSync(lease.take((newest) => attemptOf(newest) <= answered)).isTaken) return undefined
      this.#running.add(cell)
      return attemptOf(runSync(lease.newest()) ?? {})
    })
  }

  /** Renews the claims of all running cells. A claim that cannot be renewed ends by itself. */
  renew(): void {
    for (const cell of this.#running) this.holds(cell)
  }

  /** Renews a claim; returns false if the claim is lost. */
  holds(cell: string): boolean {
    const lease = this.#leaseOf(cell)
    try {
      return runSync(lease.renew())
    } catch {
      return lease.isHeld
    }
  }

  /** Ends the renewals of a claim, because the cell is answered. The claim stays, so no other worker runs the cell. */
  leave(cell: string): void {
    this.#running.delete(cell)
    this.#leases.delete(cell)
  }

  #leaseOf(cell: string): FileLease {
    const known = this.#leases.get(cell)
    if (known !== undefined) return known
    const lease = new FileLease({
      folder: this.#path(cell),
      seconds: this.#leaseSeconds,
      clock: () => performance.now() / 1000,
      calls: syncCalls,
      fields: (newest) => ({
        worker: this.#worker,
        attempt: Math.max(attemptOf(newest ?? {}), this.#answered.get(cell) ?? 0) + 1,
      }),
    })
    this.#leases.set(cell, lease)
    return lease
  }

  #path(cell: string): string {
    return this.#folder.file('claims', cell)
  }
}

function attemptOf({ attempt }: Fields): number {
  return typeof attempt === 'number' ? attempt : 0
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
