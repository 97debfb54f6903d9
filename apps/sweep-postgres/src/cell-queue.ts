/**
 * State of a cell in a queue: not answered yet, answered, or given up because every worker of the cell ended without an
 * answer.
 */
export type CellState = 'pending' | 'completed' | 'failed'

/** Options to open a queue of cells. */
export interface CellQueueOptions {
  /**
   * Connection URL of the database in the form of libpq: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. The environment
   * variable `PGPASSWORD` supplies the password if the URL has none.
   */
  readonly url: string
  /**
   * Name of the queue, at most 255 characters. All workers of a sweep use the same name, and different sweeps different
   * names.
   */
  readonly name: string
  /**
   * Seconds without a heartbeat of a worker until its cell goes to another worker; at least 1, equal for all workers.
   */
  readonly leaseSeconds: number
  /** Largest number of times that the queue gives out a cell without an answer. */
  readonly attempts: number
}

/**
 * Cell that a worker has taken from the queue. No other worker gets the cell until `answered`, `giveBack`, or the end
 * of the lease.
 */
export interface TakenCell {
  /** Id of the cell, as given to `offer`. */
  readonly id: string
  /** Number of times that the queue has given out the cell, including this time. */
  readonly attempt: number
  /** Marks the cell as answered. Resolves when the database has stored the mark. */
  readonly answered: () => Promise<void>
  /** Returns the cell to the queue for a later attempt. Resolves when the database has stored the return. */
  readonly giveBack: () => Promise<void>
}

/**
 * Queue of cells in a Postgres database, for workers on any hosts. Every promise rejects with an `Error` with
 * Postgres's message.
 */
export interface CellQueue {
  /** Returns the state of every cell that was ever offered to the queue, by the id of the cell. */
  readonly states: () => Promise<ReadonlyMap<string, CellState>>
  /** Puts cells into the queue, by their ids. A cell that is in the queue keeps its state. */
  readonly offer: (ids: ReadonlyArray<string>) => Promise<void>
  /**
   * Takes the next cell. Waits while other workers hold cells that may return to the queue. Resolves to undefined if no
   * cell is left.
   */
  readonly take: () => Promise<TakenCell | undefined>
  /** Returns the cells that this process has taken and not answered to the queue, and closes all connections. */
  readonly close: () => Promise<void>
}
