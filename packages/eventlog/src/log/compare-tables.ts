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

/** Route records in force in one log, and the changes of the last instant. */
class RoutesOfLog {
  #routes: ReadonlyMap<number, Route> = new Map()
  /** Changes of the last instant: `-` and a place in the former list of routes, or `+` and new entries. */
  changes: ReadonlyArray<string> = []
  /** Route records that the last instant added or removed. */
  changed: ReadonlyArray<Route> = []

  /** Takes the routes after an instant. The fold of the log decides which routes are in force. */
  take(routes: ReadonlyMap<number, Route>): void {
    const removed = [...this.#routes.values()].flatMap((route, place) =>
      routes.has(route.seq) ? [] : [{ route, place }],
    )
    const added = [...routes.values()].filter(({ seq }) => !this.#routes.has(seq))
    this.changes = [
      ...removed.map(({ place }) => `-${place}`),
      ...added.map(({ entries = [] }) => `+${entries.join('|')}`),
    ]
    this.changed = [...removed.map(({ route }) => route), ...added]
    this.#routes = new Map(routes)
  }

  /** Takes an instant without changes. */
  rest(): void {
    this.changes = []
    this.changed = []
  }

  /** Numbers of the switches with entries. */
  get switches(): ReadonlyArray<number> {
    return [...this.#routes.values()].flatMap((route) => switchesOf(route))
  }

  tables(topology: Topology): LoggedTables {
    return new LoggedTables(topology, this.#routes.values())
  }
}

/** Records of one instant of a log, and the route records in force after the instant. */
export interface Instant {
  readonly records: ReadonlyArray<LogRecord>
  readonly routes: ReadonlyMap<number, Route>
}

function switchesOf(route: Route): ReadonlyArray<number> {
  return entriesOf(route).flatMap(({ switches }) => Array.from(switches))
}

/** Returns the first route record of an instant that the other log lacks; undefined if there is none. */
function onlyIn({ records }: Instant, other: Instant): Route | undefined {
  const keyOf = ({ job, entries }: Route): string => JSON.stringify([job, entries])
  const keys = new Set(other.records.flatMap((record) => (record.type === 'route' ? [keyOf(record)] : [])))
  return records.find((record): record is Route => record.type === 'route' && !keys.has(keyOf(record)))
}

/** Compares the forwarding tables of two logs of one machine after each instant, until the tables differ. */
export class TablesOfLogs {
  readonly #topology: Topology
  readonly #sides = [new RoutesOfLog(), new RoutesOfLog()] as const
  /** True until the changes of an instant differ. Equal tables may then have different records, and must be compared. */
  #hadEqualChanges = true
  first: FirstTableDifferences | undefined

  constructor(topology: Topology) {
    this.#topology = topology
  }

  /** Takes the instant `t` (seconds) of both logs. */
  take(t: number, a: Instant, b: Instant): void {
    const instants = [a, b]
    for (const [side, { records, routes }] of instants.entries())
      if (records.some(({ type }) => type === 'route')) this.#sides[side].take(routes)
      else this.#sides[side].rest()
    if (this.first !== undefined) return
    const [ofA, ofB] = this.#sides
    this.#hadEqualChanges &&= ofA.changes.join('\n') === ofB.changes.join('\n')
    if (this.#hadEqualChanges) return
    const found = this.#compare(this.#sides.flatMap(({ changed }) => changed.flatMap((route) => switchesOf(route))))
    if (found.entries > 0) this.first = { t, a: onlyIn(a, b), b: onlyIn(b, a), ...found }
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
