/** State of a cell: still to be answered, answered, or given up because all its workers ended without a result. */
export type CellState = 'pending' | 'completed' | 'failed'

/** Options of a queue of cells. */
export interface CellQueueOptions {
  /**
   * Connection URL in libpq's form, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. The variable `PGPASSWORD` supplies
   * a missing password.
   */
  readonly url: string
  /** Name of the queue, at most 255 characters: the same for all workers of a sweep, different from other sweeps. */
  readonly name: string
  /** Seconds without a sign of life until a cell goes to the next worker; at least 1, the same for all workers. */
  readonly leaseSeconds: number
  /** Greatest number of times that a cell without an answer is given out. */
  readonly attempts: number
}

/** A taken cell. Its worker holds the cell alone until it is settled. */
export interface TakenCell {
  /** Id with which the cell was offered. */
  readonly id: string
  /** Number of times the cell was given out so far, including now. */
  readonly attempt: number
  /** Marks the cell as answered. Resolves when the queue has stored the answer. */
  readonly answered: () => Promise<void>
  /** Returns the cell to the queue for a later attempt. Resolves when the queue has stored the return. */
  readonly giveBack: () => Promise<void>
}

/** A queue of cells for workers on any hosts. Every promise rejects with an `Error` that has Postgres's message. */
export interface CellQueue {
  /** Returns the state of every cell that was ever offered under the queue's name, by the cell's id. */
  readonly states: () => Promise<ReadonlyMap<string, CellState>>
  /** Puts cells into the queue. A cell offered before keeps its state. */
  readonly offer: (ids: ReadonlyArray<string>) => Promise<void>
  /** Takes the next cell. Waits while workers hold cells and may return them; resolves to undefined if none is left. */
  readonly take: () => Promise<TakenCell | undefined>
  /** Gives back the cells that were taken and not settled, and closes all connections. */
  readonly close: () => Promise<void>
}
