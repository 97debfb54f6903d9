import {
  type DownPorts,
  downPorts,
  linkName,
  nodeName,
  switchName,
  switchOfLink,
  type Topology,
} from '@cloister/topology'
import { firstSwitchOfLevels } from '../records/table-entries.ts'

/** Forwarding tables of a machine, such as `LoggedTables`. */
interface Tables {
  /** Returns the output port of a switch for a destination node; -1 if the table has no entry. */
  port(level: number, sw: number, node: number): number
}

/** Switch of a machine: level, 0 for a leaf, and id on the level. */
export interface SwitchOfPath {
  readonly level: number
  readonly sw: number
}

/** Link of a machine in one direction. */
export interface DirectedLink {
  /** Level of the lower switch of the link, and id of the link on the level. */
  readonly level: number
  readonly link: number
  /** True if messages go up, from the lower switch to the higher switch. */
  readonly isUp: boolean
}

/** Part of a machine at the other end of a port: a node, or a switch behind a link. */
export type PortEnd =
  | { readonly node: number; readonly link?: undefined }
  | { readonly node?: undefined; readonly link: DirectedLink; readonly to: SwitchOfPath }

/** Path of a message between two nodes, as far as the forwarding tables lead the message. */
export interface RoutedPath {
  readonly from: number
  readonly to: number
  /** Switches on the path, from the leaf of `from` on; empty for a message from a node to itself. */
  readonly switches: ReadonlyArray<SwitchOfPath>
  /** Links between the switches, in the same order. */
  readonly links: ReadonlyArray<DirectedLink>
  /**
   * Reason why the message does not arrive; null if the message arrives. `no-entry`: the last switch has no entry for
   * `to`. `no-port`: the last switch has no such port. `other-node`: the last switch sends the message to a different
   * node. `loop`: the message comes back to the last switch.
   */
  readonly lost: 'no-entry' | 'no-port' | 'other-node' | 'loop' | null
}

/** Paths between all nodes of a job. A link counts a destination if messages for the destination use the link. */
export interface JobPaths {
  /** Links with the number of their destinations, most destinations first, then by level and id, upwards first. */
  readonly links: ReadonlyArray<DirectedLink & { readonly destinations: number }>
  /** Number of ordered pairs of different nodes, and number of these pairs without a path. */
  readonly pairs: number
  readonly lost: number
  /** Path of the first pair without a path; null if every pair has a path. */
  readonly firstLost: RoutedPath | null
}

/** Follows messages through forwarding tables. */
export class RoutedPaths {
  readonly #topology: Topology
  readonly #tables: Tables
  readonly #down: ReadonlyArray<DownPorts>
  readonly #firstOfLevel: ReadonlyArray<number>

  constructor(topology: Topology, tables: Tables) {
    this.#topology = topology
    this.#tables = tables
    this.#down = downPorts(topology)
    this.#firstOfLevel = firstSwitchOfLevels(topology)
  }

  /** Returns the part of the machine at the other end of a port; undefined if the switch has no such port. */
  endOf({ level, sw }: SwitchOfPath, port: number): PortEnd | undefined {
    const { first, below } = this.#down[level]
    const { firstPort, parentOfLink } = this.#topology.levels[level]
    const up = port - (first[sw + 1] - first[sw])
    if (up >= 0) {
      const link = firstPort[sw] + up
      if (link >= firstPort[sw + 1]) return undefined
      return { link: { level, link, isUp: true }, to: { level: level + 1, sw: parentOfLink[link] } }
    }
    if (port < 0) return undefined
    const id = below[first[sw] + port]
    if (level === 0) return { node: id }
    return {
      link: { level: level - 1, link: id, isUp: false },
      to: { level: level - 1, sw: switchOfLink(this.#topology, level - 1, id) },
    }
  }

  /** Returns the path of a message between two nodes. */
  between(from: number, to: number): RoutedPath {
    const switches: Array<SwitchOfPath> = []
    const links: Array<DirectedLink> = []
    const path = { from, to, switches, links }
    if (from === to) return { ...path, lost: null }
    const visited = new Set<number>()
    for (let at: SwitchOfPath = { level: 0, sw: this.#topology.leafOfNode[from] }; ;) {
      switches.push(at)
      if (visited.has(this.#numberOf(at))) return { ...path, lost: 'loop' }
      visited.add(this.#numberOf(at))
      const port = this.#tables.port(at.level, at.sw, to)
      if (port < 0) return { ...path, lost: 'no-entry' }
      const end = this.endOf(at, port)
      if (end === undefined) return { ...path, lost: 'no-port' }
      if (end.link === undefined) return { ...path, lost: end.node === to ? null : 'other-node' }
      links.push(end.link)
      at = end.to
    }
  }

  /** Returns the paths between all nodes of a job. @param nodes ids of the nodes, ascending */
  ofJob(nodes: ArrayLike<number>): JobPaths {
    const { leafOfNode } = this.#topology
    const all = Array.from(nodes)
    const nodesOnLeaf = new Map<number, number>()
    for (const node of all) nodesOnLeaf.set(leafOfNode[node], (nodesOnLeaf.get(leafOfNode[node]) ?? 0) + 1)
    const used = new UsedLinks(this.#topology)
    let lost = 0
    let firstLost: RoutedPath | null = null
    for (const to of all) {
      used.begin()
      for (const [leaf, count] of nodesOnLeaf) {
        const sources = count - (leaf === leafOfNode[to] ? 1 : 0)
        if (sources === 0 || this.#arrives(leaf, to, used)) continue
        lost += sources
        firstLost ??= this.between(
          all.find((node) => leafOfNode[node] === leaf && node !== to)!,
          to,
        )
      }
    }
    return { links: used.links(), pairs: all.length * (all.length - 1), lost, firstLost }
  }

  /** Follows messages from a leaf to a node, until a switch of an earlier path. Counts each new link once. */
  #arrives(leaf: number, to: number, used: UsedLinks): boolean {
    const visited: Array<number> = []
    for (let at: SwitchOfPath = { level: 0, sw: leaf }; ;) {
      const number = this.#numberOf(at)
      // A switch of the present path is known as lost, so a loop counts as lost.
      let arrives = used.arrives(number)
      if (arrives === undefined) {
        used.know(number, false)
        visited.push(number)
        const end = this.endOf(at, this.#tables.port(at.level, at.sw, to))
        if (end?.link !== undefined) {
          used.count(end.link)
          at = end.to
          continue
        }
        arrives = end?.node === to
      }
      if (arrives) for (const each of visited) used.know(each, true)
      return arrives
    }
  }

  #numberOf({ level, sw }: SwitchOfPath): number {
    return this.#firstOfLevel[level] + sw
  }
}

/** Number of destinations of each link of a job, and for the present destination, the switches with known paths. */
class UsedLinks {
  /** First cell of each level. Cell `first + 2 * link` counts messages upwards, and the next cell messages downwards. */
  readonly #first: ReadonlyArray<number>
  readonly #destinations: Int32Array
  /** Paths from each switch: `2 * round` if the message is lost, `2 * round + 1` if it arrives, less if not known. */
  readonly #known: Int32Array
  #round = 0

  constructor({ levels }: Topology) {
    this.#first = levels.map((_, level) => levels.slice(0, level).reduce((sum, { links }) => sum + 2 * links, 0))
    this.#destinations = new Int32Array(levels.reduce((sum, { links }) => sum + 2 * links, 0))
    this.#known = new Int32Array(levels.reduce((sum, { switches }) => sum + switches, 0))
  }

  /** Begins with the next destination. */
  begin(): void {
    this.#round++
  }

  know(number: number, arrives: boolean): void {
    this.#known[number] = 2 * this.#round + (arrives ? 1 : 0)
  }

  /** Returns true if messages at a switch arrive; undefined if not known. */
  arrives(number: number): boolean | undefined {
    return this.#known[number] < 2 * this.#round ? undefined : this.#known[number] % 2 === 1
  }

  count({ level, link, isUp }: DirectedLink): void {
    this.#destinations[this.#first[level] + 2 * link + (isUp ? 0 : 1)]++
  }

  links(): JobPaths['links'] {
    const links = this.#first.flatMap((first, level) =>
      Array.from(this.#destinations.subarray(first, this.#first[level + 1]), (destinations, cell) =>
        destinations === 0 ? [] : [{ level, link: cell >> 1, isUp: cell % 2 === 0, destinations }],
      ).flat(),
    )
    return links.sort((a, b) => b.destinations - a.destinations)
  }
}

/**
 * Spells a path: `node3 → leaf1 → l2-2 → leaf4 → node40`. If the message does not arrive, the text ends with the switch
 * that loses the message, and with the reason.
 */
export function describePath(topology: Topology, { from, to, switches, lost }: RoutedPath): string {
  const names = switches.map(({ level, sw }) => switchName(topology, level, sw))
  const way = [nodeName(topology, from), ...names].join(' → ')
  switch (lost) {
    case null:
      return from === to ? way : `${way} → ${nodeName(topology, to)}`
    case 'no-entry':
      return `${way}, which has no entry for ${nodeName(topology, to)}`
    case 'no-port':
      return `${way}, which lacks the port of its entry for ${nodeName(topology, to)}`
    case 'other-node':
      return `${way}, which sends messages for ${nodeName(topology, to)} to a different node`
    case 'loop':
      return `${way}: the entries form a loop`
  }
}

/** Names a link in one direction, the sender first: `leaf1 -> l2-0`. Parallel cables have the same name. */
export function directedLinkName(topology: Topology, { level, link, isUp }: DirectedLink): string {
  const name = linkName(topology, level, link)
  return isUp ? name : name.split(' -> ').reverse().join(' -> ')
}
