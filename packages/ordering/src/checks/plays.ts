import type { QueueOrder, QueueView } from '../contract.ts'
import { type OrderCheckName, orderCheckNames as is } from './names.ts'
import { type Layout, type QueueRows, queueView, type WaitingRow } from './views.ts'
import { OrderFault, type Scores, WatchedOrdering } from './watched.ts'

const DAY = 86_400_000
/** Size of a job that no machine holds. The scheduler asks fixed orders about such jobs, too. */
const MOST_NODES = 2_147_483_647

/** Order with a config on a machine, and the passes of a history. */
export class Played {
  readonly order: QueueOrder<any>
  readonly config: unknown
  readonly nodes: number

  constructor(order: QueueOrder<any>, config: unknown, nodes: number) {
    this.order = order
    this.config = config
    this.nodes = nodes
  }

  make(): WatchedOrdering {
    return new WatchedOrdering(this.order, this.nodes, this.config)
  }

  /**
   * Returns the passes as the scheduler shows them: without ended runs if the order does not claim `history`, and with
   * turns if the order claims `recorded`.
   */
  shown(passes: ReadonlyArray<QueueRows>): ReadonlyArray<QueueRows> {
    const { history, recorded } = this.make().ordering.claims
    const shown = history === true ? passes : passes.map((rows) => ({ ...rows, ended: [] }))
    return recorded === true ? withTurns(shown) : shown
  }
}

/** Returns passes in which the job that came last has the first turn. */
function withTurns(passes: ReadonlyArray<QueueRows>): ReadonlyArray<QueueRows> {
  const ids = [...new Set(passes.flatMap(({ waiting }) => waiting.map(({ id }) => id)))].reverse()
  const turns = new Map(ids.map((id, before) => [id, before + 1]))
  return passes.map((rows) => ({ ...rows, waiting: rows.waiting.map((row) => ({ ...row, turn: turns.get(row.id)! })) }))
}

/** Play of one history. @throws OrderFault */
type Play = (played: Played, passes: ReadonlyArray<QueueRows>) => void

/** Plays views of every form, asks about every view twice, and at last asks new orderings about every view. */
export const playBasis: Play = (played, passes) => {
  const [ordering, other, asked] = [played.make(), played.make(), played.make()]
  const [users, others, ofAsked]: Array<Array<string>> = [[], [], []]
  const { fixed } = ordering.ordering.claims
  const answers: Array<{ readonly rows: QueueRows; readonly view: QueueView; readonly scores: Scores }> = []
  for (const rows of played.shown(passes)) {
    const view = queueView(rows, users)
    const scores = ordering.ask(view)
    answers.push({ rows, view, scores })
    compare(is.same, rows, scores, ordering.ask(view), 'when asked again')
    for (const layout of ['longer', 'lists', 'exact'] satisfies Array<Layout>)
      compare(is.columns, rows, scores, other.ask(queueView(rows, others, layout)), `in ${layouts[layout]}`)
    for (const hypothetical of otherQueues(rows)) asked.ask(queueView(hypothetical, ofAsked))
    if (fixed) for (const row of rows.waiting) asked.ask(queueView(alone({ ...row, size: MOST_NODES })))
  }
  // After the whole history, sums that several orderings share are wrong for each earlier view.
  for (const { rows, view, scores } of answers)
    compare(is.fold, rows, scores, played.make().ask(view), 'from an ordering that saw no earlier view')
}

const layouts: Readonly<Record<Layout, string>> = {
  exact: 'typed arrays',
  longer: 'arrays with further rows behind length',
  lists: 'lists instead of typed arrays',
}

/** Plays by check. Each play has the checks of `playBasis` as prerequisites. */
export const plays: ReadonlyMap<OrderCheckName, Play> = new Map<OrderCheckName, Play>([
  [
    is.whatIf,
    (played, passes) => {
      const [ordering, asked] = [played.make(), played.make()]
      const [users, others]: Array<Array<string>> = [[], []]
      const shown = played.shown(passes)
      shown.forEach((rows, at) => {
        // The other queues shall not give other numbers to the users.
        queueView(rows, others)
        for (const question of [...otherQueues(rows), ...shown.slice(Math.max(0, at - 2), at)])
          asked.ask(queueView(question, others))
        const answer = asked.ask(queueView(rows, others))
        compare(is.whatIf, rows, ordering.ask(queueView(rows, users)), answer, 'after questions about other queues')
      })
    },
  ],
  [
    is.users,
    (played, passes) => {
      const [ordering, other] = [played.make(), played.make()]
      const [users, others]: Array<Array<string>> = [[], []]
      for (const rows of played.shown(passes)) {
        const scores = ordering.ask(queueView(rows, users))
        queueView({ ...rows, waiting: rows.waiting.toReversed() }, others)
        compare(is.users, rows, scores, other.ask(queueView(rows, others)), `with the users ${others.join(', ')}`)
      }
    },
  ],
  [
    is.fixed,
    (played, passes) => {
      const ordering = played.make()
      const users: Array<string> = []
      for (const rows of passes) {
        const { score } = ordering.ask(queueView(rows, users))
        rows.waiting.forEach((row, at) => {
          const scores = { score: score.slice(at, at + 1), behind: [] }
          const { score: other } = played.make().ask(queueView(alone(row)))
          compare(is.fixed, alone(row), scores, { score: other, behind: [] }, 'alone at time 0')
        })
      }
    },
  ],
  [
    is.history,
    (played, passes) => {
      const [ordering, other] = [played.make(), played.make()]
      const [users, others]: Array<Array<string>> = [[], []]
      for (const rows of passes) {
        const scores = other.ask(queueView({ ...rows, ended: [] }, others))
        compare(is.history, rows, ordering.ask(queueView(rows, users)), scores, 'without ended runs')
      }
    },
  ],
])

function alone(row: WaitingRow): QueueRows {
  return { now: 0, waiting: [row] }
}

/** Yields queues that the scheduler or a reader of a log may ask about: fewer jobs, later times. */
function* otherQueues(rows: QueueRows): Generator<QueueRows> {
  const { waiting, now } = rows
  yield { ...rows, waiting: waiting.filter((_, at) => at % 2 === 0) }
  yield { ...rows, waiting: [], now: now + 3_600_000 }
  yield { ...rows, waiting: waiting.slice(1), running: [], now: now + 400 * DAY }
}

/** @throws OrderFault if two answers differ */
function compare(check: OrderCheckName, rows: QueueRows, one: Scores, other: Scores, where: string): void {
  for (const part of ['score', 'behind'] as const) {
    const at = one[part].findIndex((score, row) => score !== other[part][row])
    if (at < 0) continue
    const of = part === 'score' ? 'score' : 'score behind the head'
    throw new OrderFault(
      check,
      `at t = ${rows.now} ms job ${rows.waiting[at].id} has the ${of} ${one[part][at]}, but ${other[part][at]} ${where}`,
    )
  }
}
