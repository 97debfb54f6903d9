import type { SwitchEntries } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Fills `ports` with the port of a switch towards every node of the machine; -1 for a node without a route. */
export type FillRow = (level: number, sw: number, ports: Int16Array) => void

/** Tables to read, row by row. */
export interface ReadableRows {
  /** Returns the ports of a switch towards every node; -1 for a node without a route. */
  of(level: number, sw: number): Int16Array
}

/** Returns the entries of `rows` that differ from the entries of `earlier`, leaves first. */
export function changedEntries(
  { levels }: Topology,
  earlier: ReadableRows,
  rows: ReadableRows,
): ReadonlyArray<SwitchEntries> {
  const changed: Array<SwitchEntries> = []
  for (const [level, { switches }] of levels.entries())
    for (let sw = 0; sw < switches; sw++) {
      const [before, ports] = [earlier.of(level, sw), rows.of(level, sw)]
      const nodes = range(ports.length).filter((node) => ports[node] !== before[node])
      if (nodes.length > 0) changed.push({ level, sw, nodes, ports: nodes.map((node) => ports[node]) })
    }
  return changed
}

/** Forwarding tables of all switches as rows of ports. A row is made at its first use. */
export class Rows implements ReadableRows {
  readonly #topology: Topology
  readonly #firstOfLevel: ReadonlyArray<number>
  readonly #fill: FillRow
  readonly #rows: Array<Int16Array | undefined>

  constructor(topology: Topology, fill: FillRow) {
    const { levels } = topology
    this.#topology = topology
    this.#fill = fill
    this.#firstOfLevel = levels.map((_, level) =>
      levels.slice(0, level).reduce((sum, { switches }) => sum + switches, 0),
    )
    this.#rows = new Array<Int16Array | undefined>(levels.reduce((sum, { switches }) => sum + switches, 0))
  }

  of(level: number, sw: number): Int16Array {
    const number = this.#firstOfLevel[level] + sw
    return (this.#rows[number] ??= this.#filled(level, sw))
  }

  #filled(level: number, sw: number): Int16Array {
    const ports = new Int16Array(this.#topology.nodes)
    this.#fill(level, sw, ports)
    return ports
  }

  /** Makes all rows. Rows that are made do not change when links fail. */
  freeze(): void {
    for (const [level, sw] of this.#switches()) this.of(level, sw)
  }

  /** Yields the entries of all switches, leaves first, without nodes that have no route. */
  *entries(): Generator<SwitchEntries> {
    for (const [level, sw] of this.#switches()) {
      const ports = this.of(level, sw)
      const nodes = range(ports.length).filter((node) => ports[node] >= 0)
      if (nodes.length > 0) yield { level, sw, nodes, ports: nodes.map((node) => ports[node]) }
    }
  }

  *#switches(): Generator<readonly [level: number, sw: number]> {
    for (const [level, { switches }] of this.#topology.levels.entries())
      for (let sw = 0; sw < switches; sw++) yield [level, sw]
  }
}

function range(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, at) => at)
}
