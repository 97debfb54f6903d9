import type { Ordering, QueueView, RunColumns, WaitingColumns } from '../contract.ts'

/** Waiting job of a view. */
export interface WaitingRow {
  /** Id of the job in the log. */
  readonly id: string
  /** Requested nodes. */
  readonly size: number
  /** Expected run time in ms; Infinity without an estimate. */
  readonly estimate: number
  /** Time of submission in ms. */
  readonly submitted: number
  /** Name of the user; undefined if the log names no user. */
  readonly user?: string | undefined
  /** Place in the order of the recorded starts, from 1, for an order that claims `recorded`. */
  readonly turn?: number
}

/** Run of a job in a view, from `started` to `end`, in ms. */
export interface RunRow {
  readonly nodes: number
  readonly started: number
  /** Expected end of a running job, real end of an ended run. */
  readonly end: number
  /** Name of the user; undefined if the log names no user. */
  readonly user?: string | undefined
}

/** Queue, machine and history at one scheduling pass, as rows. */
export interface QueueRows {
  /** Time of the scheduling pass in ms. */
  readonly now: number
  readonly waiting: ReadonlyArray<WaitingRow>
  /** Running jobs in the order of their starts. Default: none. */
  readonly running?: ReadonlyArray<RunRow>
  /** Ended runs in the order of their ends. Default: none. */
  readonly ended?: ReadonlyArray<RunRow>
}

/** Form of the columns: typed arrays, typed arrays with further rows behind `length`, or lists. */
export type Layout = 'exact' | 'longer' | 'lists'

/**
 * Returns the view of rows.
 *
 * @param users names of the users, for several views of one ordering. The function adds the users that the list does not
 *   have yet, in the order of the rows
 * @example queueView({ now: 60_000, waiting: [{ id: 'a', size: 4, estimate: 3_600_000, submitted: 0, user: 'ada' }] })
 */
export function queueView(rows: QueueRows, users: Array<string> = [], layout: Layout = 'exact'): QueueView {
  const numberOf = (user: string | undefined): number => {
    if (user === undefined) return -1
    if (!users.includes(user)) users.push(user)
    return users.indexOf(user)
  }
  const waiting = waitingColumns(rows.waiting, numberOf, layout)
  const running = runColumns(rows.running ?? [], numberOf, layout)
  const ended = runColumns(rows.ended ?? [], numberOf, layout)
  return { now: rows.now, waiting, running, ended, users: [...users] }
}

/** Returns the scores of all rows of a view. A row without a score has NaN. */
export function scoresOf(ordering: Ordering, view: QueueView): ReadonlyArray<number> {
  const scores = new Float64Array(view.waiting.length).fill(NaN)
  ordering.score(view, scores)
  return Array.from(scores)
}

type NumberOf = (user: string | undefined) => number

function waitingColumns(rows: ReadonlyArray<WaitingRow>, numberOf: NumberOf, layout: Layout): WaitingColumns {
  return {
    length: rows.length,
    // A job behind `length` has no id.
    id: [...rows.map(({ id }) => id), ...(layout === 'longer' ? ['', '', ''] : [])],
    size: whole(rows, (row) => row.size, layout),
    estimate: column(rows, (row) => row.estimate, layout),
    submitted: column(rows, (row) => row.submitted, layout),
    user: whole(rows, (row) => numberOf(row.user), layout),
    ...(rows.some(({ turn }) => turn !== undefined) && { turn: whole(rows, ({ turn }) => turn!, layout) }),
  }
}

function runColumns(rows: ReadonlyArray<RunRow>, numberOf: NumberOf, layout: Layout): RunColumns {
  return {
    length: rows.length,
    nodes: whole(rows, (row) => row.nodes, layout),
    user: whole(rows, (row) => numberOf(row.user), layout),
    started: column(rows, (row) => row.started, layout),
    end: column(rows, (row) => row.end, layout),
  }
}

function whole<Row>(rows: ReadonlyArray<Row>, of: (row: Row) => number, layout: Layout): ArrayLike<number> {
  const values = column(rows, of, layout)
  return layout === 'lists' ? values : Int32Array.from(values)
}

function column<Row>(rows: ReadonlyArray<Row>, of: (row: Row) => number, layout: Layout): ArrayLike<number> {
  const values = rows.map(of)
  // Rows behind `length` hold no jobs. If an order reads the rows behind `length`, the scores of the order change.
  if (layout === 'longer') values.push(0, 1, 7)
  return layout === 'lists' ? values : Float64Array.from(values)
}
