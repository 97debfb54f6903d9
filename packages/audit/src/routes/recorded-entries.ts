import { eachEntry, type EntryGroup, entriesOf, firstSwitchOfLevels, type Route } from '@cloister/eventlog'
import { type DownPorts, lowerBound, type Topology } from '@cloister/topology'
import { type Effort, TOO_MUCH } from '../effort.ts'
import { NO_ENTRY, type SwitchEntries } from './partition-routes.ts'
import { hopOf, switchName, walk } from './route-checks.ts'

/** Returns the level of a switch, and its id on the level. @param number number of the switch among all switches */
function placeOf(firstOfLevel: ReadonlyArray<number>, number: number): { readonly level: number; readonly sw: number } {
  const level = firstOfLevel.findLastIndex((first) => first <= number)
  return { level, sw: number - firstOfLevel[level] }
}

/**
 * Returns the entries of a route record, text by text. Returns a message instead if the record names a switch or node
 * that the machine does not have, or if the entries exceed the budget of the audit.
 */
function groupsWithin(
  topology: Topology,
  record: Route,
  effort: Effort,
): ReadonlyArray<EntryGroup> | { readonly breach: string } {
  const groups = entriesOf(record)
  const switchCount = topology.levels.reduce((sum, { switches }) => sum + switches, 0)
  let entries = 0
  for (const { switches, ranges } of groups) {
    const [sw, node] = [switches[switches.length - 1], ranges[ranges.length - 1].last]
    if (sw >= switchCount) return { breach: `the record names switch ${sw}, but the machine has ${switchCount}` }
    if (node >= topology.nodes)
      return { breach: `the record names node ${node}, but the machine has ${topology.nodes}` }
    for (const { first, last } of ranges) entries += switches.length * (last - first + 1)
  }
  return effort.allows(entries) ? groups : { breach: TOO_MUCH }
}

/**
 * Returns the entries of the route records of a job as rows of ports for the nodes of the job. Of several entries for
 * one node, the last counts. Returns a message if a record has an entry for a node of another job or beyond the machine,
 * two rows of entries for one switch, or too many entries.
 */
export function rowsOfJob(
  topology: Topology,
  nodes: Int32Array,
  records: ReadonlyArray<Route>,
  effort: Effort,
): ReadonlyArray<SwitchEntries> | { readonly breach: string } {
  const firstOfLevel = firstSwitchOfLevels(topology)
  const rows = new Map<number, Uint16Array>()
  let breach: string | undefined
  for (const record of records) {
    const groups = groupsWithin(topology, record, effort)
    if ('breach' in groups) return groups
    const named = new Set<number>()
    for (const { switches, ranges } of groups)
      for (const number of switches) {
        const row = rows.get(number) ?? new Uint16Array(nodes.length).fill(NO_ENTRY)
        rows.set(number, row)
        for (const range of ranges)
          eachEntry(range, (node, port) => {
            const at = lowerBound(nodes.length, (place) => nodes[place] < node)
            if (nodes[at] === node) row[at] = port < 0 ? NO_ENTRY : port
            else breach ??= `the record has entries for node ${node}, which the job does not hold`
          })
        const { level, sw } = placeOf(firstOfLevel, number)
        if (named.has(number)) breach ??= `the record has two texts of entries for ${switchName(level, sw)}`
        named.add(number)
      }
  }
  if (breach !== undefined) return { breach }
  const ascending = [...rows].sort(([a], [b]) => a - b)
  return ascending.map(([number, ports]) => ({ ...placeOf(firstOfLevel, number), ports }))
}

/** Returns a message about the first difference between recorded and expected entries; undefined if they are equal. */
export function differenceOfRows(
  nodes: Int32Array,
  recorded: ReadonlyArray<SwitchEntries>,
  expected: ReadonlyArray<SwitchEntries>,
): string | undefined {
  const keyOf = ({ level, sw }: SwitchEntries): string => switchName(level, sw)
  const rows = new Map(recorded.map((row) => [keyOf(row), row.ports]))
  for (const each of expected) {
    const row = rows.get(keyOf(each))
    rows.delete(keyOf(each))
    const j = each.ports.findIndex((port, at) => port !== (row?.[at] ?? NO_ENTRY))
    if (j >= 0)
      return `${keyOf(each)} has ${portName(row?.[j])} for node ${nodes[j]}, but partition routing gives ${portName(each.ports[j])}`
  }
  for (const [name, row] of rows)
    if (row.some((port) => port !== NO_ENTRY)) return `${name} has entries, but partition routing gives it none`
  return undefined
}

function portName(port: number | undefined): string {
  return port === undefined || port === NO_ENTRY ? 'no entry' : `port ${port}`
}

/** Forwarding tables of all switches, for routers whose entries do not belong to jobs. */
export class WholeTables {
  readonly #topology: Topology
  readonly #ports: ReadonlyArray<DownPorts>
  readonly #firstOfLevel: ReadonlyArray<number>
  readonly #rows: Map<number, Uint16Array> = new Map()

  constructor(topology: Topology, ports: ReadonlyArray<DownPorts>) {
    this.#topology = topology
    this.#ports = ports
    this.#firstOfLevel = firstSwitchOfLevels(topology)
  }

  /**
   * Puts the entries of a record into the tables, and returns the destination nodes of the entries, ascending. Returns a
   * message instead, and leaves the tables unchanged, for entries beyond the machine or too many entries.
   */
  put(record: Route, effort: Effort): ReadonlyArray<number> | { readonly breach: string } {
    const groups = groupsWithin(this.#topology, record, effort)
    if ('breach' in groups) return groups
    const changed = new Set<number>()
    for (const { switches, ranges } of groups)
      for (const number of switches) {
        const row = this.#rows.get(number) ?? new Uint16Array(this.#topology.nodes).fill(NO_ENTRY)
        this.#rows.set(number, row)
        for (const range of ranges)
          eachEntry(range, (node, port) => {
            row[node] = port < 0 ? NO_ENTRY : port
            changed.add(node)
          })
      }
    return [...changed].sort((a, b) => a - b)
  }

  /** Calls `visit` with each link on the way between two nodes, up to the first switch without an entry. */
  eachLink(from: number, to: number, visit: (level: number, link: number, isUp: boolean) => void): void {
    let at = { level: 0, sw: this.#topology.leafOfNode[from] }
    for (let hops = 0; hops < 2 * this.#topology.levels.length; hops++) {
      const port = this.#rows.get(this.#firstOfLevel[at.level] + at.sw)?.[to] ?? NO_ENTRY
      const hop = port === NO_ENTRY ? undefined : hopOf(this.#topology, this.#ports, at.level, at.sw, port)
      if (hop === undefined || hop.region === 0) return
      visit(hop.region - 1, hop.id, hop.level > at.level)
      at = hop
    }
  }

  /**
   * Returns a message about the first leaf from which a node is not reached; undefined if all leaves reach the node.
   *
   * @param mayLack true if a table may lack an entry for the node, because links are down
   */
  breachTowards(node: number, mayLack: boolean): string | undefined {
    for (let leaf = 0; leaf < this.#topology.leaves; leaf++) {
      let lacks = false
      const portOf = (level: number, sw: number): number => {
        const port = this.#portOf(level, sw, node)
        lacks = port === NO_ENTRY
        return port
      }
      const stop = walk(this.#topology, this.#ports, leaf, node, portOf)
      if (stop !== undefined && !(lacks && mayLack)) return `leaf ${leaf} does not reach node ${node}: ${stop}`
    }
    return undefined
  }

  /** Returns the reason why a message from a leaf to a node does not arrive over links that are up. */
  stop(leaf: number, node: number, isUp: (region: number, id: number) => boolean): string | undefined {
    return walk(this.#topology, this.#ports, leaf, node, (level, sw) => this.#portOf(level, sw, node), isUp)
  }

  /** Returns the nodes whose entries at an end of a link lead over the link. @param sw lower switch of the link */
  nodesOver(level: number, link: number, sw: number): ReadonlyArray<number> {
    const { firstPort, parentOfLink } = this.#topology.levels[level]
    const { first } = this.#ports[level]
    const up = first[sw + 1] - first[sw] + link - firstPort[sw]
    const parent = parentOfLink[link]
    const down = this.#ports[level + 1].portOf[link]
    return Array.from({ length: this.#topology.nodes }, (_, node) => node).filter(
      (node) => this.#portOf(level, sw, node) === up || this.#portOf(level + 1, parent, node) === down,
    )
  }

  #portOf(level: number, sw: number, node: number): number {
    return this.#rows.get(this.#firstOfLevel[level] + sw)?.[node] ?? NO_ENTRY
  }
}
