/** Where a cell of a queue is: still to be answered, answered, or given up, since all who ran it ended without a word. */
export type CellState = 'pending' | 'completed' | 'failed'

/** What a queue is opened with. */
export interface CellQueueOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, as libpq has it. Where it names no password, `PGPASSWORD` does. */
  readonly url: string
  /** Workers of one sweep have one name, and no other sweep has it; at most 255 characters. */
  readonly name: string
  /** Seconds after which a cell of a worker that gave no sign goes to another one; the same for all workers, from 1. */
  readonly leaseSeconds: number
  /** How often a cell is given out that nobody answers. */
  readonly attempts: number
}

/** A cell that a worker has taken, and nobody else has until it is settled. */
export interface TakenCell {
  /** As it was offered. */
  readonly id: string
  /** How often it was given out so far, from 1. */
  readonly attempt: number
  /** It needs no other run. Resolves when the queue knows. */
  readonly answered: () => Promise<void>
  /** It does, a little later. Resolves when the queue knows. */
  readonly giveBack: () => Promise<void>
}

/** Cells that workers on any hosts take one by one. Every promise rejects with an `Error` whose message says what Postgres said. */
export interface CellQueue {
  /** Every cell that was ever offered under the name, by its id. */
  readonly states: () => Promise<ReadonlyMap<string, CellState>>
  /** Puts cells into the queue. One that was offered before stays as it is. */
  readonly offer: (ids: ReadonlyArray<string>) => Promise<void>
  /** The next cell, waiting for it while others have some that may come back; undefined once all are answered or given up. */
  readonly take: () => Promise<TakenCell | undefined>
  /** Gives back what was taken and not settled, and closes all connections. */
  readonly close: () => Promise<void>
}
