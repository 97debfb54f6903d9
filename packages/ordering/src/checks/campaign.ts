import { Interrupted, interruptible, withTraps } from '@cloister/placement/checks'
import type { QueueOrder } from '../contract.ts'
import { drawHistory, type QueueHistory } from './histories.ts'
import { type OrderCheckName, orderCheckNames as is } from './names.ts'
import { playBasis, Played, plays } from './plays.ts'
import type { QueueRows } from './views.ts'
import { OrderFault } from './watched.ts'

/** Options of the conformance suite of orders. */
export interface OrderCheckOptions {
  /** Config for an order that needs options. Default: `{}`. */
  readonly config?: unknown
  /** Number of random histories. Default 8. */
  readonly histories?: number
  /** Time limit of a history, in s. An order in an endless loop is stopped. Default 10. */
  readonly seconds?: number
  /** Receives the progress after each history of the first checks. Default: no reports. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

const HISTORIES = 8
const SECONDS = 10
/** Most views in the message of a fault. */
const MOST_SHOWN = 8

/** Plays random histories, and keeps the first fault of each check. */
export class OrderCampaign {
  readonly #order: QueueOrder<any>
  readonly #config: unknown
  readonly #options: OrderCheckOptions
  readonly #histories: ReadonlyArray<QueueHistory>
  readonly #faults: Map<OrderCheckName, Error> = new Map()
  #isBasisPlayed = false

  /** @param config valid config with every default */
  constructor(order: QueueOrder<any>, config: unknown, options: OrderCheckOptions) {
    this.#order = order
    this.#config = config
    this.#options = options
    this.#histories = Array.from({ length: options.histories ?? HISTORIES }, (_, at) => drawHistory(at + 1))
  }

  /** Returns the fault of a check, with calls that show it; undefined if no history has one. */
  faultOf(check: OrderCheckName): Error | undefined {
    withTraps(() => {
      if (plays.has(check)) this.#playAll([check])
      else if (!this.#isBasisPlayed) this.#playAll([])
    })
    return this.#faults.get(check)
  }

  /** @param checks check with a play of its own; empty for the basis */
  #playAll(checks: ReadonlyArray<OrderCheckName>): void {
    this.#isBasisPlayed = true
    for (const [at, { nodes, passes }] of this.#histories.entries()) {
      const fault = this.#faultIn(checks, nodes, passes)
      if (fault !== undefined && !this.#faults.has(fault.check)) {
        const shown = fault.check === is.answers ? { fault, passes } : this.#fewer(checks, nodes, fault, passes)
        this.#see(at + 1, nodes, shown)
      }
      if (checks.length === 0) this.#options.onProgress?.({ done: at + 1, total: this.#histories.length })
      // An order that hangs would use the whole time of every further history.
      if (this.#faults.has(is.answers) || checks.some((check) => this.#faults.has(check))) return
    }
  }

  #faultIn(
    checks: ReadonlyArray<OrderCheckName>,
    nodes: number,
    passes: ReadonlyArray<QueueRows>,
  ): OrderFault | undefined {
    const played = new Played(this.#order, this.#config, nodes)
    try {
      interruptible(
        () => {
          if (checks.length === 0) playBasis(played, passes)
          for (const check of checks) plays.get(check)!(played, passes)
        },
        1000 * (this.#options.seconds ?? SECONDS),
      )
      return undefined
    } catch (error) {
      if (error instanceof OrderFault) return error
      if (error instanceof Interrupted) return new OrderFault(is.answers, error.message, error)
      throw error
    }
  }

  /** Returns fewer passes with fewer rows and the same fault. */
  #fewer(
    checks: ReadonlyArray<OrderCheckName>,
    nodes: number,
    first: OrderFault,
    given: ReadonlyArray<QueueRows>,
  ): { readonly fault: OrderFault; readonly passes: ReadonlyArray<QueueRows> } {
    let least = { fault: first, passes: given }
    const attempt = (passes: ReadonlyArray<QueueRows>): boolean => {
      const fault = this.#faultIn(checks, nodes, passes)
      if (fault?.check !== first.check) return false
      least = { fault, passes }
      return true
    }
    for (let at = given.length - 1; at >= 0; at--) attempt(least.passes.filter((_, place) => place !== at))
    for (const part of ['ended', 'running', 'waiting'] as const)
      for (const one of new Set(given.flatMap((rows) => rows[part]!.map(literal))))
        attempt(least.passes.map((rows) => ({ ...rows, [part]: rows[part]!.filter((row) => literal(row) !== one) })))
    return least
  }

  #see(
    history: number,
    nodes: number,
    { fault, passes }: { readonly fault: OrderFault; readonly passes: ReadonlyArray<QueueRows> },
  ): void {
    const code = fault.check === is.answers ? '' : `\n\nViews that show the fault:\n\n${this.#asCode(nodes, passes)}\n`
    const message = `${nodes} nodes, history ${history}: ${fault.message}${code}`
    this.#faults.set(fault.check, new Error(message, { cause: fault.cause }))
  }

  #asCode(nodes: number, passes: ReadonlyArray<QueueRows>): string {
    const asks = passes.slice(-MOST_SHOWN).map((rows) => `scoresOf(ordering, queueView(${literal(rows)}, users))`)
    if (asks.length < passes.length) asks.unshift(`// ${passes.length - asks.length} earlier views`)
    const make = `const ordering = order.make({ nodes: ${nodes} }, ${literal(this.#config)})`
    return [make, 'const users = []', ...asks].map((line) => `  ${line}`).join('\n')
  }
}

/** Returns a value as code. JSON has no Infinity. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).filter(
    ([, each]) => each !== undefined && !(Array.isArray(each) && each.length === 0),
  )
  return members.length === 0 ? '{}' : `{ ${members.map(([key, each]) => `${key}: ${literal(each)}`).join(', ')} }`
}
