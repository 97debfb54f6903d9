import { type Cell, cellsOfShard } from './cells.ts'
import { type Claims, MOST_ATTEMPTS } from './claims.ts'
import { isGone, seenWorker } from './heartbeat.ts'
import type { ResultsRead } from './results-read.ts'
import type { Shard } from './shard.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** A cell to run now. */
export interface CellTask extends Cell {
  /** From 1. */
  readonly attempt: number
}

/** Which cell to run next; `wait` where another worker may have left some, which shows later; undefined at the end. */
export type NextCell = CellTask | 'wait' | undefined

/** Cells without a result. Those that failed run again only where that is asked for, and then no others. */
class OpenCells {
  readonly #read: ResultsRead
  /** How many attempts a cell had when this worker began, of cells that had failed. */
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

  /** Attempts at a cell that were answered, if only by a failure. */
  answered({ digest }: Cell): number {
    return this.#read.failureOf(digest)?.attempt ?? 0
  }
}

/** Every worker runs the cells of its own shard. */
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

export interface ClaimingOptions {
  readonly shard: Shard
  readonly retry: boolean
  readonly leaseSeconds: number
}

/** Workers claim cell by cell: first those of their own shard, then what is left of others', and what others have left behind. */
export class ClaimingQueue {
  readonly #folder: SweepFolder
  readonly #claims: Claims
  readonly #read: ResultsRead
  readonly #open: OpenCells
  readonly #leaseSeconds: number
  /** Not tried yet. */
  readonly #fresh: Array<Cell>
  /** Claimed by others when they were tried. */
  #others: Array<Cell> = []

  constructor(
    folder: SweepFolder,
    cells: ReadonlyArray<Cell>,
    read: ResultsRead,
    claims: Claims,
    { shard, retry, leaseSeconds }: ClaimingOptions,
  ) {
    this.#folder = folder
    this.#claims = claims
    this.#read = read
    this.#leaseSeconds = leaseSeconds
    this.#open = new OpenCells(cells, read, retry)
    const shards = Array.from({ length: shard.count }, (_, at) => ((shard.index - 1 + at) % shard.count) + 1)
    this.#fresh = shards.flatMap((index) => cellsOfShard(cells, { index, count: shard.count })).reverse()
  }

  /** @param now by the clock of the file system, in ms: asked for where workers may be gone. */
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
    const answered = this.#open.answered(cell)
    const attempts = this.#claims.attemptsAt(cell.digest)
    if (attempts > answered) return undefined
    return this.#claims.claim(cell.digest, answered + 1) ? { ...cell, attempt: answered + 1 } : undefined
  }

  /** A cell whose worker is gone. */
  #takeOver(now: number): NextCell {
    this.#read.refresh()
    this.#claims.refresh()
    this.#others = this.#others.filter((cell) => this.#open.has(cell))
    let isDoubtful = false
    for (const cell of this.#others) {
      const claim = this.#claims.of(cell.digest)
      if (claim === undefined) continue
      if (this.#claims.isAbandoned(cell.digest, claim, now)) {
        const attempt = claim.attempt + 1
        if (this.#claims.claim(cell.digest, attempt)) return { ...cell, attempt }
      } else isDoubtful ||= this.#isSilent(claim.worker, now)
    }
    return isDoubtful ? 'wait' : undefined
  }

  /** Whether a worker should have given a sign by now, and may still. */
  #isSilent(worker: string, now: number): boolean {
    return isGone(seenWorker(this.#folder, worker), now, this.#leaseSeconds / 3)
  }

  /** Whether all attempts at a cell that one could make have ended its workers. */
  isHopeless({ digest, attempt }: CellTask): boolean {
    return attempt - (this.#read.failureOf(digest)?.attempt ?? 0) > MOST_ATTEMPTS
  }
}
