import type { ForwardingTables, Resources, RouteChange, SwitchEntries } from '@cloister/placement'

/** Forwarding tables of a router, with a list of the destination nodes whose entries change. */
export class WatchedTables implements ForwardingTables {
  readonly #tables: ForwardingTables
  readonly #changed: Set<number> = new Set()
  readonly change?: (change: 'down' | 'up', resources: Resources) => Iterable<RouteChange>

  constructor(tables: ForwardingTables) {
    this.#tables = tables
    if (tables.change !== undefined) this.change = (...given) => this.#notingEach(tables.change!(...given))
  }

  port(level: number, sw: number, node: number): number {
    return this.#tables.port(level, sw, node)
  }

  initial(): Iterable<SwitchEntries> {
    return this.#tables.initial?.() ?? []
  }

  start(job: string, resources: Resources): Iterable<SwitchEntries> | { readonly unroutable: string } {
    const answer = this.#tables.start(job, resources)
    return 'unroutable' in answer ? answer : this.#noting(answer)
  }

  end(job: string): Iterable<SwitchEntries> {
    return this.#noting(this.#tables.end(job))
  }

  /** Returns the nodes whose entries changed since the last call. */
  takeChanged(): ReadonlyArray<number> {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  *#notingEach(changes: Iterable<RouteChange>): Generator<RouteChange> {
    for (const each of changes) yield { ...each, entries: this.#noting(each.entries) }
  }

  *#noting(entries: Iterable<SwitchEntries>): Generator<SwitchEntries> {
    for (const each of entries) {
      for (let at = 0; at < each.nodes.length; at++) this.#changed.add(each.nodes[at])
      yield each
    }
  }
}
