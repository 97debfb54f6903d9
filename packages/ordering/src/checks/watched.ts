import { readsOf } from '@cloister/placement/checks'
import { orderingDefect } from '../bind.ts'
import type { Ordering, QueueOrder, QueueView } from '../contract.ts'
import { type OrderCheckName, orderCheckNames as is } from './names.ts'

/** Fault of an order, with the name of the check that the fault fails. */
export class OrderFault extends Error {
  readonly check: OrderCheckName
  constructor(check: OrderCheckName, message: string, cause?: unknown) {
    super(message, { cause })
    this.check = check
  }
}

/** Scores of the rows of a view. `behind`: the scores of `scoreBehindHead`, empty without this function. */
export interface Scores {
  readonly score: ReadonlyArray<number>
  readonly behind: ReadonlyArray<number>
}

/** Places behind the rows, and their content. An order that writes there would lose its scores in a run. */
const SPARE = 3
const UNTOUCHED = 12_345.678

/** Ordering of a new call of `make`. Each call is watched. */
export class WatchedOrdering {
  readonly ordering: Ordering
  readonly #given: { readonly machine: { readonly nodes: number }; readonly config: unknown }
  readonly #before: string

  /** @throws OrderFault if `make` fails */
  constructor(order: QueueOrder<any>, nodes: number, config: unknown) {
    this.#given = { machine: { nodes }, config: structuredClone(config) }
    this.#before = JSON.stringify(this.#given)
    const made: unknown = this.#watched('make', () => order.make(this.#given.machine, this.#given.config))
    const defect = orderingDefect(made)
    if (defect !== undefined) throw new OrderFault(is.makes, defect)
    this.ordering = made as Ordering
  }

  /** Returns the scores of a view. @throws OrderFault */
  ask(view: QueueView): Scores {
    const score = this.#ask('score', view)
    // Nobody stands behind the head of an empty queue.
    const isBehind = this.ordering.scoreBehindHead !== undefined && view.waiting.length > 0
    return { score, behind: isBehind ? this.#ask('scoreBehindHead', view) : [] }
  }

  #ask(name: 'score' | 'scoreBehindHead', view: QueueView): ReadonlyArray<number> {
    const { length, id } = view.waiting
    const scores = new Float64Array(length + SPARE).fill(NaN, 0, length).fill(UNTOUCHED, length)
    if (name === 'scoreBehindHead') scores[0] = 0
    const before = copyOf(view)
    this.#watched(name, () => this.ordering[name]!(view, scores))
    const changed = changedPart(view, before)
    if (changed !== undefined) throw new OrderFault(is.arguments, `${name} changed ${changed} of the view`)
    const beyond = scores.findIndex((score, row) => row >= length && score !== UNTOUCHED)
    if (beyond >= 0) throw new OrderFault(is.beyond, `${name} wrote scores[${beyond}], but the view has ${length} rows`)
    const wrong = scores.findIndex((score) => Number.isNaN(score))
    if (wrong >= 0)
      throw new OrderFault(is.numbers, `${name} gave row ${wrong}, job ${id[wrong]}, the score NaN, or no score`)
    // The score of the head is ignored.
    if (name === 'scoreBehindHead') scores[0] = 0
    return Array.from(scores.subarray(0, length))
  }

  #watched<Result>(name: string, run: () => Result): Result {
    let result: Result
    let thrown: unknown
    const reads = readsOf(() => {
      try {
        result = run()
      } catch (error) {
        thrown = error
      }
    })
    if (thrown !== undefined) throw new OrderFault(is.answers, `${name} threw ${inWords(thrown)}`, thrown)
    if (reads.length > 0) throw new OrderFault(is.reads, `${name} read ${reads.join(', ')}`)
    if (JSON.stringify(this.#given) !== this.#before)
      throw new OrderFault(is.arguments, `${name} changed the machine or the config`)
    return result!
  }
}

type Copy = ReadonlyMap<string, { readonly value: unknown; readonly numbers: ReadonlyArray<unknown> | undefined }>

/** Returns the members of a view by path. `numbers`: copy of an array. */
function copyOf(view: QueueView): Copy {
  const { waiting, running, ended } = view
  const parts = Object.entries({ view, waiting, running, ended }).flatMap(([name, part]) =>
    Object.entries(part as object).map(([key, value]: [string, unknown]) => {
      const isArray = ArrayBuffer.isView(value) || Array.isArray(value)
      const numbers = isArray ? Array.from(value as unknown as ArrayLike<unknown>) : undefined
      return [name === 'view' ? key : `${name}.${key}`, { value, numbers }] as const
    }),
  )
  return new Map(parts)
}

function changedPart(view: QueueView, before: Copy): string | undefined {
  const now = copyOf(view)
  for (const [path, { value, numbers }] of now) {
    const old = before.get(path)
    if (old === undefined || old.value !== value || old.numbers?.length !== numbers?.length) return path
    const at = numbers?.findIndex((each, place) => !Object.is(each, old.numbers![place])) ?? -1
    if (at >= 0) return `${path}[${at}]`
  }
  return Array.from(before.keys()).find((path) => !now.has(path))
}

function inWords(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : JSON.stringify(thrown)
}
