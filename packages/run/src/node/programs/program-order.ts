import { orderDefects, type OrderClaims, type Ordering, type QueueOrder, type QueueView } from '@cloister/ordering'
import { type Answer, type Bound, Conversation } from './conversation.ts'
import { rowOf, runsFrom, ToldQueue } from './told-queue.ts'

/** Queue order whose code is a program. */
export interface ProgramOrder extends QueueOrder<any> {
  /** Ends the program with all its processes. A later call of `make` starts the program again. */
  end(): void
}

/**
 * Starts a program, and returns the queue order that the program computes, as PROTOCOL.md of `@cloister/ordering` says.
 * A failure of the program is a ProgramError of `make` or `score`.
 *
 * @param command words of a command, as in a POSIX shell after `exec`
 * @throws ProgramError if the program does not introduce itself
 * @example programOrder('python3 my_order.py').name
 */
export function programOrder(command: string): ProgramOrder {
  const conversation = new Conversation(command, { asks: 'order' }, orderDefects)
  return {
    ...conversation.value,
    make: ({ nodes }, config) => new OrderOfProgram(conversation, nodes, config).ordering(),
    end: () => conversation.end(),
  }
}

interface Made {
  readonly claims: OrderClaims
  readonly readsRunning?: boolean
  readonly behindHead?: boolean
}

/** Ordering of a program for one machine and one config, and the queue as told to the program. */
class OrderOfProgram {
  readonly #conversation: Conversation
  readonly #nodes: number
  readonly #config: unknown
  readonly #made: Made
  #bound: Bound
  #told = new ToldQueue()

  constructor(conversation: Conversation, nodes: number, config: unknown) {
    this.#conversation = conversation
    this.#nodes = nodes
    this.#config = config
    this.#bound = this.#newPart()
    this.#made = conversation.use(this.#bound) as unknown as Made
  }

  ordering(): Ordering {
    const { claims, behindHead } = this.#made
    return {
      claims,
      score: (view, scores) => this.#score(view, scores),
      ...(behindHead === true && { scoreBehindHead: (view, scores) => this.#scoreBehindHead(view, scores) }),
    }
  }

  #newPart(): Bound {
    const number = this.#conversation.newPart()
    return { number, fields: { order: number, nodes: this.#nodes, config: this.#config } }
  }

  #score(view: QueueView, scores: Float64Array): void {
    const changes = this.#begin(view).tell(view)
    const { scores: given, first } = this.#ask('score', changes, view)
    const rows = scores.subarray(0, view.waiting.length)
    if (first === undefined) this.#write(given, rows, 'jobs')
    else this.#writeFirst(first, rows)
  }

  #scoreBehindHead(view: QueueView, scores: Float64Array): void {
    const ended = this.#begin(view).tellEnded(view)
    const [head, ...window] = Array.from({ length: view.waiting.length }, (_, row) => rowOf(view, row))
    const { scores: given } = this.#ask('scoreBehindHead', { ...ended, head, window }, view)
    // JSON has no infinite numbers.
    const finite = Array.isArray(given) ? given.map((score) => (score === null ? Infinity : score)) : given
    this.#write(finite, scores.subarray(1, view.waiting.length), 'jobs of the window')
  }

  /** Makes sure that the program knows a part of the history of this view, and returns the queue as told so far. */
  #begin(view: QueueView): ToldQueue {
    // A view of an earlier time: the program begins again, because runs that have ended stay in its history.
    if (view.ended.length < this.#told.endedRuns) this.#bound = this.#newPart()
    if (this.#conversation.use(this.#bound) !== undefined) this.#told = new ToldQueue()
    return this.#told
  }

  #ask(type: string, fields: object, view: QueueView): Answer {
    const { readsRunning } = this.#made
    const running = readsRunning === true ? { running: runsFrom(view.running, 0, view.users) } : {}
    return this.#conversation.ask(type, { order: this.#bound.number, now: view.now, ...fields, ...running })
  }

  #write(given: unknown, scores: Float64Array, of: string): void {
    if (!Array.isArray(given)) throw this.#conversation.wrong('answered without a list of scores')
    if (given.length !== scores.length)
      throw this.#conversation.wrong(`answered with ${given.length} scores for ${scores.length} ${of}`)
    const wrong = given.findIndex((score) => typeof score !== 'number')
    if (wrong >= 0)
      throw this.#conversation.wrong(`answered with the score ${JSON.stringify(given[wrong])}; expected a number`)
    scores.set(given)
  }

  /** Writes the scores of an answer with the rows of the first jobs; all other jobs follow in submit order. */
  #writeFirst(first: unknown, scores: Float64Array): void {
    if (this.#made.claims.fixed) throw this.#conversation.wrong('answered with first; fixed orders answer with scores')
    const rows = Array.isArray(first) ? first : []
    const isRow = (row: unknown): boolean =>
      Number.isInteger(row) && (row as number) >= 0 && (row as number) < scores.length
    if (!Array.isArray(first) || !rows.every(isRow) || new Set(rows).size < rows.length)
      throw this.#conversation.wrong(`answered with first; expected a list of different rows below ${scores.length}`)
    scores.fill(0)
    for (const [place, row] of rows.entries()) scores[row] = place - rows.length
  }
}
