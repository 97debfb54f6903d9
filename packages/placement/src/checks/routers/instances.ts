import type { Resources } from '../../allocations.ts'
import { EntryRules } from '../../router-defects.ts'
import type { ForwardingTables, RouteChange, Router, SwitchEntries } from '../../router.ts'
import { OriginalTopology } from '../originals.ts'
import { describe } from '../questions.ts'
import { endPlacing, startPlacing, takeReads } from '../reads.ts'
import type { RouterCall } from './calls.ts'
import type { RoutedMachine } from './machines.ts'
import { type RouterCheckName, routerCheckNames as is } from './names.ts'

/** Fault of a router, with the name of the check that the fault fails. */
export class RouterFault extends Error {
  readonly check: RouterCheckName
  constructor(check: RouterCheckName, message: string, cause?: unknown) {
    super(message, { cause })
    this.check = check
  }
}

/** Result of a call, with copies of the entries. `unroutable`: the router found no routes. */
export interface Answer {
  readonly entries: ReadonlyArray<SwitchEntries>
  readonly changes: ReadonlyArray<RouteChange & { readonly entries: ReadonlyArray<SwitchEntries> }>
  readonly unroutable?: string
}

/**
 * Two instances of the tables of a router, which get the same calls. The second instance is made later, and gets every
 * other call first. Each call is watched.
 */
export class RouterInstances {
  readonly tables: readonly [first: ForwardingTables, second: ForwardingTables]
  readonly #router: Router
  readonly #machine: RoutedMachine
  readonly #original: OriginalTopology
  readonly #rules: EntryRules
  #calls = 0

  /** @throws RouterFault for a fault of `make` */
  constructor(router: Router, machine: RoutedMachine) {
    this.#router = router
    this.#machine = machine
    this.#original = new OriginalTopology(machine.topology)
    this.#rules = new EntryRules(machine.topology)
    this.tables = [this.make(), this.make()]
  }

  /** Makes further tables. @throws RouterFault */
  make(): ForwardingTables {
    const made = this.watched(() => this.#router.make(this.#machine.topology))
    if ('unsupported' in made) throw new RouterFault(is.same, 'make served the topology once, but not again')
    return made
  }

  /** Runs code of the router. @throws RouterFault if it throws, reads a clock, or writes to the topology */
  watched<Result>(run: () => Result): Result {
    let result: Result
    takeReads()
    startPlacing()
    try {
      result = run()
    } catch (error) {
      if (error instanceof RouterFault) throw error
      throw new RouterFault(is.answers, `the router threw ${describe(error)}`, error)
    } finally {
      endPlacing()
    }
    const reads = takeReads()
    if (reads.length > 0) throw new RouterFault(is.reads, `the router read ${reads.join(', ')}`)
    const changed = this.#original.changedPart()
    if (changed !== undefined) throw new RouterFault(is.arguments, `the router changed ${changed}`)
    return result
  }

  /** Makes a call on both instances. @throws RouterFault if their answers differ */
  both(call: (tables: ForwardingTables) => Answer): Answer {
    const isSecondFirst = this.#calls++ % 2 === 1
    const order = isSecondFirst ? this.tables.toReversed() : this.tables
    const [one, other] = order.map((tables) => this.watched(() => call(tables)))
    if (JSON.stringify(one) !== JSON.stringify(other))
      throw new RouterFault(
        is.same,
        `two instances of the tables answered equal calls differently: ${short(one)} and ${short(other)}`,
      )
    return one
  }

  /** Makes a call with copies of its nodes and links. @throws RouterFault if the router changes the copies */
  called(tables: ForwardingTables, { kind, of, nodes, links }: RouterCall): Answer {
    if (kind === 'end') {
      const ended = tables.end(of)
      // The scheduler reads no entries at the end of a job under `own`.
      return this.#router.claims.changes === 'own' ? { entries: [], changes: [] } : this.answer(ended)
    }
    const given: Resources = { nodes: [...nodes], links: links.map((ids) => [...ids]) }
    const before = JSON.stringify(given)
    const answer = ((): Answer => {
      if (kind !== 'start') return this.#changes(tables.change!(kind, given))
      const started = tables.start(of, given)
      if ('unroutable' in started) return { entries: [], changes: [], unroutable: String(started.unroutable) }
      const ports = this.#portsOf(tables, nodes)
      const read = this.answer(started)
      if (this.#portsOf(tables, nodes) !== ports)
        throw new RouterFault(is.port, 'start changed port() when its entries were read; expected at the call of start')
      return read
    })()
    if (JSON.stringify(given) !== before)
      throw new RouterFault(is.arguments, 'the router changed the nodes or links of its arguments')
    return answer
  }

  /** Returns the ports of the first node's leaf towards all nodes of a job, as text. */
  #portsOf(tables: ForwardingTables, nodes: ReadonlyArray<number>): string {
    const leaf = this.#machine.topology.leafOfNode[nodes[0]]
    return nodes.map((node) => tables.port(0, leaf, node)).join()
  }

  /** Returns an answer with copies of entries. @throws RouterFault for entries that do not exist */
  answer(entries: Iterable<SwitchEntries>): Answer {
    return { entries: this.#copied(entries), changes: [] }
  }

  #changes(given: Iterable<RouteChange>): Answer {
    const changes: Array<Answer['changes'][number]> = []
    for (const each of given) changes.push({ ...each, entries: this.#copied(each.entries) })
    return { entries: changes.flatMap(({ entries }) => entries), changes }
  }

  /** Copies entries, because a router may use its arrays again. */
  #copied(entries: Iterable<SwitchEntries>): ReadonlyArray<SwitchEntries> {
    const fail = (defect: string): never => {
      throw new RouterFault(is.exist, defect)
    }
    const copies: Array<SwitchEntries> = []
    for (const { level, sw, nodes, ports } of this.#rules.checked(entries, fail))
      copies.push({ level, sw, nodes: Array.from(nodes), ports: Array.from(ports) })
    return copies
  }
}

function short(answer: Answer | undefined): string {
  const text = JSON.stringify(answer)
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
