/**
 * State of a cell (one configuration of a sweep) in a queue. `pending`: not answered yet. `completed`: answered.
 * `failed`: given out `attempts` times without an answer.
 */
export type CellState = 'pending' | 'completed' | 'failed'

/** Options of `openCellQueue`. */
export interface CellQueueOptions {
  /** Connection URL `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; a missing password is taken from `PGPASSWORD`. */
  readonly url: string
  /** Name of the queue, at most 255 characters: equal for all workers of a sweep, and different for each sweep. */
  readonly name: string
  /** Seconds without a worker's heartbeat until its cell goes to another worker: at least 1, equal for all workers. */
  readonly leaseSeconds: number
  /** Largest number of times that the queue gives out a cell; then a cell without an answer has the state `failed`. */
  readonly attempts: number
}

/** Cell that a worker has taken. Others get the cell only after `giveBack`, or `leaseSeconds` without heartbeat. */
export interface TakenCell {
  /** Id of the cell, as given to `offer`. */
  readonly id: string
  /** Number of times that the queue has given out the cell, this time included. */
  readonly attempt: number
  /** Marks the cell as answered; resolves when Postgres has stored the state `completed`. */
  readonly answered: () => Promise<void>
  /** Gives the cell back to the queue for a later attempt; resolves when Postgres has stored the cell's state. */
  readonly giveBack: () => Promise<void>
}

/** Queue of cells in Postgres, for sweep workers on any hosts. Promises reject with an `Error` that quotes Postgres. */
export interface CellQueue {
  /** Returns the state of every cell that was ever offered to the queue, by the id of the cell. */
  readonly states: () => Promise<ReadonlyMap<string, CellState>>
  /** Puts cells into the queue by id. A cell that is already in the queue keeps its state. */
  readonly offer: (ids: ReadonlyArray<string>) => Promise<void>
  /** Takes the next cell; waits while other workers hold cells, which may return. Undefined if no cell is pending. */
  readonly take: () => Promise<TakenCell | undefined>
  /** Gives back the cells taken through this object and not answered, and closes all its connections. */
  readonly close: () => Promise<void>
}
