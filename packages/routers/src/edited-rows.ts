import type { SwitchEntries } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Rows } from './rows.ts'

/** Tables that differ from base tables in some entries, with a list of the entries that changed. */
export class EditedRows {
  readonly #base: Rows
  /** Rows of the switches with edited entries, by level. The other rows are rows of the base. */
  readonly #rows: ReadonlyArray<Array<Int16Array | undefined>>
  /** Ports before the first change since `takeChanges`, by level, switch and node. */
  #before: ReadonlyArray<Map<number, Map<number, number>>>

  constructor({ levels }: Topology, base: Rows) {
    this.#base = base
    this.#rows = levels.map(({ switches }) => new Array<Int16Array | undefined>(switches))
    this.#before = levels.map(() => new Map())
  }

  of(level: number, sw: number): Int16Array {
    return this.#rows[level][sw] ?? this.#base.of(level, sw)
  }

  set(level: number, sw: number, node: number, port: number): void {
    if (this.of(level, sw)[node] === port) return
    const row = (this.#rows[level][sw] ??= this.#base.of(level, sw).slice())
    const before = this.#before[level].get(sw) ?? new Map<number, number>()
    this.#before[level].set(sw, before)
    if (!before.has(node)) before.set(node, row[node])
    row[node] = port
  }

  /** Returns the entries that differ from the entries at the last call, leaves first. */
  takeChanges(): ReadonlyArray<SwitchEntries> {
    const found: Array<SwitchEntries> = []
    for (const [level, switches] of this.#before.entries())
      for (const [sw, ports] of [...switches].sort(([a], [b]) => a - b)) {
        const row = this.of(level, sw)
        const nodes = Int32Array.from(
          [...ports].filter(([node, port]) => row[node] !== port),
          ([node]) => node,
        ).sort()
        if (nodes.length > 0) found.push({ level, sw, nodes, ports: nodes.map((node) => row[node]) })
      }
    this.#before = this.#before.map(() => new Map())
    return found
  }
}
