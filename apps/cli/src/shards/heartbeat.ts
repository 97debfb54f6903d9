import { renameSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { Schema } from 'effect'
import { withPath } from '../files/with-path.ts'
import type { SweepFolder } from './sweep-folder.ts'

const Beat = Schema.Struct({
  host: Schema.String,
  pid: Schema.Number,
  /** `3/8`; empty for all cells. */
  shard: Schema.String,
  /** Cells at once. */
  threads: Schema.Number,
  ended: Schema.Boolean,
  /** The share of its jobs that have ended, of each cell under way, by digest. */
  running: Schema.Record(Schema.String, Schema.Number),
})

export type Beat = typeof Beat.Type

const isBeat = Schema.is(Beat)

/** A worker as others see it. */
export interface SeenWorker extends Beat {
  readonly name: string
  /** When it last gave a sign, in ms, by the clock of the file system. */
  readonly at: number
}

/** What a worker lets others know of itself, now and then: that it is there, and what it is at. */
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

  /** A cell is under way. */
  at(cell: string, share: number): void {
    this.#running.set(cell, share)
  }

  leave(cell: string): void {
    this.#running.delete(cell)
  }

  /** Writes it, and gives the time by the clock of the file system. @throws what the operating system says, with the path */
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

/** The workers that have given a sign so far, by name. */
export function seenWorkers(folder: SweepFolder): ReadonlyMap<string, SeenWorker> {
  const seen = new Map<string, SeenWorker>()
  for (const file of folder.names('workers')) {
    const name = file.replace(/\.json$/, '')
    const worker = seenWorker(folder, name)
    if (worker !== undefined) seen.set(name, worker)
  }
  return seen
}

/** Undefined where it has not given one yet. */
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

/** Whether a worker runs no more: it has ended, or gave no sign for the time of a lease. */
export function isGone(worker: SeenWorker | undefined, now: number, leaseSeconds: number): boolean {
  return worker === undefined || worker.ended || now - worker.at > leaseSeconds * 1000
}
