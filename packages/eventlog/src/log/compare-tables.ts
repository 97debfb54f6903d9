import { formatIdset, type Topology } from '@cloister/topology'
import { entriesOf, firstSwitchOfLevels } from '../records/table-entries.ts'
import type { LogRecord, Route } from '../records/types.ts'
import { LoggedTables } from './forwarding-tables.ts'

/** Nodes towards which a switch uses one port in log a, and a different port in log b. */
export interface EntryDifference {
  /** Level of the switch, 0 for a leaf, and id on the level. */
  readonly level: number
  readonly sw: number
  /** Destinations as an idset. */
  readonly nodes: string
  /** Port in each log; -1 if the table of the log has no entry. */
  readonly portA: number
  readonly portB: number
}

/** Entries that differ between the forwarding tables of two logs. */
export interface TableDifferences {
  readonly switches: number
  readonly entries: number
  /** Differing entries in the order of switches. */
  readonly differences: ReadonlyArray<EntryDifference>
}

/** First instant after which the tables differ, with the first route record of the instant that one log alone has. */
export interface FirstTableDifferences extends TableDifferences {
  readonly t: number
  readonly a: Route | undefined
  readonly b: Route | undefined
}

/** Route records whose entries are in the tables of one log, and the changes of the last instant. */
class RoutesOfLog {
  readonly #routes = new Map<number, Route>()
  /** Route records of the last instant. `of`: record with the changed entries, the undone record for a removal. */
  changes: ReadonlyArray<{ readonly record: Route; readonly of: Route; readonly spelling: string }> = []

  /** Applies the records of one instant. */
  take(records: ReadonlyArray<LogRecord>): void {
    this.changes = records.flatMap((record) => {
      if (record.type !== 'route') return []
      const of = record.undo === undefined ? record : this.#routes.get(record.undo)!
      if (record.undo === undefined) this.#routes.set(record.seq, record)
      else this.#routes.delete(record.undo)
      const spelling = `${record.undo === undefined ? '+' : '-'} ${(of.entries ?? []).join('|')}`
      return [{ record, of, spelling }]
    })
  }

  /** Numbers of the switches with entries. */
  get switches(): ReadonlyArray<number> {
    return [...this.#routes.values()].flatMap((route) => switchesOf(route))
  }

  tables(topology: Topology): LoggedTables {
    return new LoggedTables(topology, this.#routes.values())
  }
}

function switchesOf(route: Route): ReadonlyArray<number> {
  return entriesOf(route).flatMap(({ switches }) => Array.from(switches))
}

/** Compares the forwarding tables of two logs of one machine after each instant, until the tables differ. */
export class TablesOfLogs {
  readonly #topology: Topology
  readonly #sides = [new RoutesOfLog(), new RoutesOfLog()] as const
  /** True until the changes of an instant differ. Equal tables may then have different entries below the last ones. */
  #hadEqualChanges = true
  first: FirstTableDifferences | undefined

  constructor(topology: Topology) {
    this.#topology = topology
  }

  /** Takes the records of both logs of the instant `t`, in seconds. */
  take(t: number, a: ReadonlyArray<LogRecord>, b: ReadonlyArray<LogRecord>): void {
    const [sideA, sideB] = this.#sides
    sideA.take(a)
    sideB.take(b)
    if (this.first !== undefined) return
    const spellings = this.#sides.map(({ changes }) => changes.map(({ spelling }) => spelling))
    this.#hadEqualChanges &&= spellings[0].join('\n') === spellings[1].join('\n')
    if (this.#hadEqualChanges) return
    const found = this.#compare(this.#sides.flatMap(({ changes }) => changes.flatMap(({ of }) => switchesOf(of))))
    if (found.entries === 0) return
    const [recordA, recordB] = this.#sides.map(
      ({ changes }, side) => changes.find(({ spelling }) => !spellings[1 - side].includes(spelling))?.record,
    )
    this.first = { t, a: recordA, b: recordB, ...found }
  }

  /** Returns the entries that differ after the last taken instant. */
  atEnd(): TableDifferences {
    return this.#compare(this.#sides.flatMap(({ switches }) => switches))
  }

  #compare(switches: Iterable<number>): TableDifferences {
    const tables = this.#sides.map((side) => side.tables(this.#topology))
    const firstOfLevel = firstSwitchOfLevels(this.#topology)
    const sorted = [...new Set(switches)].sort((one, other) => one - other)
    const differences = sorted.flatMap((number) => {
      const level = firstOfLevel.findLastIndex((first) => first <= number)
      const sw = number - firstOfLevel[level]
      return rowDifferences(tables[0].read(number), tables[1].read(number)).map((each) => ({ level, sw, ...each }))
    })
    return {
      switches: new Set(differences.map(({ level, sw }) => firstOfLevel[level] + sw)).size,
      entries: differences.reduce((sum, { count }) => sum + count, 0),
      differences: differences.map(({ level, sw, nodes, portA, portB }) => ({ level, sw, nodes, portA, portB })),
    }
  }
}

function rowDifferences(
  a: Int16Array,
  b: Int16Array,
): ReadonlyArray<Pick<EntryDifference, 'nodes' | 'portA' | 'portB'> & { readonly count: number }> {
  const found = new Map<string, { readonly portA: number; readonly portB: number; readonly nodes: Array<number> }>()
  for (let node = 0; node < a.length; node++) {
    if (a[node] === b[node]) continue
    const key = `${a[node]} ${b[node]}`
    const same = found.get(key)
    if (same === undefined) found.set(key, { portA: a[node], portB: b[node], nodes: [node] })
    else same.nodes.push(node)
  }
  return Array.from(found.values(), ({ nodes, ...ports }) => ({
    ...ports,
    nodes: formatIdset(nodes),
    count: nodes.length,
  }))
}
