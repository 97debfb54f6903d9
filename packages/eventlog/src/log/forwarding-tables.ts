import { portCounts, type Topology } from '@cloister/topology'
import { eachEntry, entriesOf, type EntryGroup, firstSwitchOfLevels } from '../records/table-entries.ts'
import type { Route } from '../records/types.ts'
import { FoldError } from './machine-state.ts'

/** Forwarding tables from the route records of a log alone, without a router. */
export class LoggedTables {
  readonly #topology: Topology
  readonly #firstOfLevel: ReadonlyArray<number>
  readonly #groups: ReadonlyArray<EntryGroup>
  /** Ports of each switch that was asked for, by the number of the switch. Other switches cost no memory. */
  readonly #rows: Map<number, Int16Array> = new Map()

  /** @param routes route records with entries in the tables, in the order of the log: `LogState.routes` */
  constructor(topology: Topology, routes: Iterable<Route>) {
    this.#topology = topology
    this.#firstOfLevel = firstSwitchOfLevels(topology)
    this.#groups = Array.from(routes).flatMap((route) => entriesOf(route))
  }

  /** Returns the output port of a switch for a destination node; -1 if the table has no entry. */
  port(level: number, sw: number, node: number): number {
    return this.row(level, sw)[node]
  }

  /** Returns the output port of a switch for every node of the machine; -1 for no entry. */
  row(level: number, sw: number): Int16Array {
    const number = this.#firstOfLevel[level] + sw
    const row = this.#rows.get(number) ?? this.read(number)
    this.#rows.set(number, row)
    return row
  }

  /** Returns the number of entries in all tables, and the number of switches with an entry. */
  size(): { readonly entries: number; readonly switches: number } {
    let [entries, switches] = [0, 0]
    for (const number of new Set(this.#groups.flatMap((group) => Array.from(group.switches)))) {
      const count = this.read(number).reduce((sum, port) => sum + (port < 0 ? 0 : 1), 0)
      entries += count
      if (count > 0) switches++
    }
    return { entries, switches }
  }

  /** Returns the row of a switch by the number of the switch, and keeps no copy: for readers of all tables. */
  read(number: number): Int16Array {
    const row = new Int16Array(this.#topology.nodes).fill(-1)
    for (const { switches, ranges } of this.#groups)
      if (switches.includes(number))
        for (const range of ranges)
          eachEntry(range, (node, port) => {
            row[node] = port
          })
    return row
  }
}

/** Numbers of the switches, nodes and ports of a machine. */
export class EntryLimits {
  readonly #nodes: number
  /** Number of ports of each switch, by the number of the switch. */
  readonly #ports: Int32Array

  constructor(topology: Topology) {
    this.#nodes = topology.nodes
    this.#ports = Int32Array.from(portCounts(topology).flatMap((counts) => Array.from(counts)))
  }

  /** Checks that the machine has the switches, nodes and ports of a route record. @throws FoldError */
  check(record: Route): void {
    for (const { switches, ranges } of entriesOf(record)) {
      const last = switches[switches.length - 1]
      if (last >= this.#ports.length)
        throw new FoldError(record, `found switch ${last}, but the machine has ${this.#ports.length} switches`)
      const node = ranges[ranges.length - 1].last
      if (node >= this.#nodes)
        throw new FoldError(record, `found node ${node}, but the machine has ${this.#nodes} nodes`)
      const port = ranges.reduce((most, each) => Math.max(most, each.port < 0 ? -1 : each.port + each.cycle - 1), -1)
      const without = switches.find((sw) => port >= this.#ports[sw])
      if (without !== undefined)
        throw new FoldError(record, `found port ${port}, but switch ${without} has ${this.#ports[without]} ports`)
    }
  }
}
