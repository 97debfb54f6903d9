import { type Claims, isGone, MOST_ATTEMPTS, seenWorker } from './claims.ts'
import type { Cell } from './experiment.ts'
import type { ResultsRead } from './results-read.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Part of an experiment for one process: part `index`, from 1, of `count` parts. */
export interface Shard {
  readonly index: number
  readonly count: number
}

/**
 * Returns every `count`th cell, because neighbours in the list take similar times and should go to different shards.
 */
export function cellsOfShard<A>(cells: ReadonlyArray<A>, { index, count }: Shard): ReadonlyArray<A> {
  return cells.filter((_, at) => at % count === index - 1)
}

/** Cell for a worker to run, with the number of the attempt (from 1). */
export interface CellTask extends Cell {
  readonly attempt: number
}

/** Next cell of a queue, undefined without a further cell; `wait` while a silent worker still has its lease. */
export type NextCell = CellTask | 'wait' | undefined

/** Cells that a worker may run: cells with neither result nor failure, and with `--retry` cells with an old failure. */
class OpenCells {
  readonly #read: ResultsRead
  /** Last failed attempt at each cell when this worker started, by the cell's digest, undefined without `--retry`. */
  readonly #failed: ReadonlyMap<string, number> | undefined

  constructor(cells: ReadonlyArray<Cell>, read: ResultsRead, retry: boolean) {
    this.#read = read
    if (!retry) return
    const failed = cells.flatMap(({ digest }) => {
      const failure = read.failureOf(digest)
      return failure === undefined ? [] : [[digest, failure.attempt] as const]
    })
    this.#failed = new Map(failed)
  }

  has({ digest }: Cell): boolean {
    if (this.#read.isDone(digest)) return false
    return this.#read.failureOf(digest)?.attempt === this.#failed?.get(digest)
  }

  /** Returns the number of the last failed attempt at a cell, or 0 without a failure. */
  answered({ digest }: Cell): number {
    return this.#read.failureOf(digest)?.attempt ?? 0
  }
}

/** Queue of a worker without `--claim`: the cells of its own shard. */
export class FixedQueue {
  readonly #cells: ReadonlyArray<CellTask>
  #at = 0

  constructor(cells: ReadonlyArray<Cell>, read: ResultsRead, retry: boolean) {
    const open = new OpenCells(cells, read, retry)
    this.#cells = cells.filter((each) => open.has(each)).map((each) => ({ ...each, attempt: open.answered(each) + 1 }))
  }

  get size(): number {
    return this.#cells.length
  }

  next(): NextCell {
    return this.#cells[this.#at++]
  }
}

/** Queue of a worker with `--claim`: first cells of its own shard, then of other shards, then of ended workers. */
export class ClaimingQueue {
  readonly #folder: SweepFolder
  readonly #claims: Claims
  readonly #read: ResultsRead
  readonly #open: OpenCells
  readonly #leaseSeconds: number
  /** Cells that this worker has not tried to claim yet, in reverse order. */
  readonly #fresh: Array<Cell>
  /** Cells that other workers have claimed. */
  #others: Array<Cell> = []

  constructor(
    folder: SweepFolder,
    cells: ReadonlyArray<Cell>,
    read: ResultsRead,
    claims: Claims,
    { shard, retry, leaseSeconds }: { readonly shard: Shard; readonly retry: boolean; readonly leaseSeconds: number },
  ) {
    this.#folder = folder
    this.#claims = claims
    this.#read = read
    this.#leaseSeconds = leaseSeconds
    this.#open = new OpenCells(cells, read, retry)
    const shards = Array.from({ length: shard.count }, (_, at) => ((shard.index - 1 + at) % shard.count) + 1)
    this.#fresh = shards.flatMap((index) => cellsOfShard(cells, { index, count: shard.count })).reverse()
  }

  /**
   * Claims and returns the next cell.
   * @param now returns the time in ms, by the clock of the file system; called only to find ended workers
   */
  next(now: () => number): NextCell {
    for (let cell = this.#fresh.pop(); cell !== undefined; cell = this.#fresh.pop()) {
      if (!this.#open.has(cell)) continue
      const task = this.#claimUnclaimed(cell)
      if (task !== undefined) return task
      this.#others.push(cell)
    }
    return this.#others.length === 0 ? undefined : this.#takeOver(now())
  }

  #claimUnclaimed(cell: Cell): CellTask | undefined {
    const claim = this.#claims.of(cell.digest)
    return claim !== undefined && claim.attempt > this.#open.answered(cell) ? undefined : this.#claim(cell)
  }

  /**
   * Claims a cell of an ended worker. Returns `wait` if a worker is silent, undefined if no worker is ended or silent.
   */
  #takeOver(now: number): NextCell {
    this.#read.refresh()
    this.#others = this.#others.filter((cell) => this.#open.has(cell))
    let isDoubtful = false
    for (const cell of this.#others) {
      const task = this.#claim(cell)
      if (task === undefined) isDoubtful ||= this.#isSilent(this.#claims.of(cell.digest)?.worker ?? '', now)
      else {
        // The worker may have written the result just before its end.
        this.#read.refresh()
        if (this.#open.has(cell)) return task
        this.#claims.leave(cell.digest)
      }
    }
    return isDoubtful ? 'wait' : undefined
  }

  #claim(cell: Cell): CellTask | undefined {
    const attempt = this.#claims.claim(cell.digest, this.#open.answered(cell))
    return attempt === undefined ? undefined : { ...cell, attempt }
  }

  /** Returns true if a worker gave no heartbeat for a third of the lease time, so that the worker may have ended. */
  #isSilent(worker: string, now: number): boolean {
    return isGone(seenWorker(this.#folder, worker), now, this.#leaseSeconds / 3)
  }

  /** Renews the claim of a cell; returns false if another worker has taken the cell over. */
  holds({ digest }: Cell): boolean {
    return this.#claims.holds(digest)
  }

  /** Notes that a cell is answered. */
  leave({ digest }: Cell): void {
    this.#claims.leave(digest)
  }

  /** Returns true if `MOST_ATTEMPTS` attempts at a cell since its last failure have ended without an answer. */
  isHopeless({ digest, attempt }: CellTask): boolean {
    return attempt - (this.#read.failureOf(digest)?.attempt ?? 0) > MOST_ATTEMPTS
  }
}
