import { renameSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { Schema } from 'effect'
import { withPath } from '@cloister/run/node'
import type { SweepFolder } from './sweep-folder.ts'

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
