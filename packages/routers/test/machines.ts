import type { ForwardingTables, Resources, Router, SwitchEntries } from '@cloister/placement'
import { Draw } from '@cloister/placement/testing'
import { parseTopology, switchGraph, switchOfLink, type Topology } from '@cloister/topology'
import { downPorts } from '@cloister/topology'

export function tablesOf(router: Router, topology: Topology): ForwardingTables {
  const tables = router.make(topology)
  if ('unsupported' in tables) throw new Error(tables.unsupported)
  return tables
}

/** Draws a regular tree of two or three levels, with or without taper and parallel cables. */
export function drawnTree(draw: Draw): Topology {
  const between = (low: number, high: number): number => low + draw.below(high - low + 1)
  const levels = between(2, 3)
  const upper = Array.from({ length: levels - 1 }, () => ({ m: between(2, 4), w: between(1, 3), p: between(1, 2) }))
  const numbers = (of: 'm' | 'w' | 'p', first: number): string => [first, ...upper.map((each) => each[of])].join()
  return parseTopology(`pgft:${levels};${numbers('m', between(1, 4))};${numbers('w', 1)};${numbers('p', 1)}`)
}

/** Draws a machine of two levels whose leaves differ in nodes and in links up. */
export function drawnGraph(draw: Draw): Topology {
  const leaves = Array.from({ length: 2 + draw.below(4) }, () => 1 + draw.below(4))
  const spines = 1 + draw.below(3)
  const further = Array.from({ length: spines - 1 }, (_, spine) => spine + 1)
  const parents = leaves.map((_, leaf) => [0, ...further.filter(() => leaf === 0 || draw.once(2))])
  return switchGraph({ name: 'drawn graph', leaves, parents: [parents] })
}

/** Tables from returned entries alone. */
export class Fold {
  readonly #topology: Topology
  readonly #ports: Map<string, number> = new Map()

  constructor(topology: Topology) {
    this.#topology = topology
  }

  apply(entries: Iterable<SwitchEntries>): void {
    let last = -1
    for (const { level, sw, nodes, ports } of entries) {
      const number = level * 1e6 + sw
      if (number <= last) throw new Error(`switch ${sw} of level ${level} is out of order`)
      last = number
      Array.from(nodes).forEach((node, at) => {
        if (at > 0 && nodes[at - 1] >= node) throw new Error('nodes are out of order')
        this.#ports.set(`${level} ${sw} ${node}`, ports[at])
      })
    }
  }

  /** Returns the first entry that differs from tables; undefined if all entries are equal. */
  difference(tables: Pick<ForwardingTables, 'port'>): string | undefined {
    for (const [level, { switches }] of this.#topology.levels.entries())
      for (let sw = 0; sw < switches; sw++)
        for (let node = 0; node < this.#topology.nodes; node++) {
          const key = `${level} ${sw} ${node}`
          if ((this.#ports.get(key) ?? -1) !== tables.port(level, sw, node)) return key
        }
    return undefined
  }

  /** Returns all entries of tables as a fold. */
  static of(topology: Topology, tables: Pick<ForwardingTables, 'port'>): Fold {
    const nodes = Array.from({ length: topology.nodes }, (_, node) => node)
    const fold = new Fold(topology)
    for (const [level, { switches }] of topology.levels.entries())
      for (let sw = 0; sw < switches; sw++)
        fold.apply([{ level, sw, nodes, ports: nodes.map((node) => tables.port(level, sw, node)) }])
    return fold
  }
}

export type Failed = ReadonlyArray<ReadonlySet<number>>

/** Returns true if links that have not failed lead from a leaf up and then down to another leaf. Tries all ways. */
export function isConnected({ levels }: Topology, failed: Failed, from: number, to: number): boolean {
  const above = (leaf: number): ReadonlySet<string> => {
    const found = new Set<string>()
    const climb = (level: number, sw: number): void => {
      found.add(`${level} ${sw}`)
      for (let link = levels[level].firstPort[sw]; link < levels[level].firstPort[sw + 1]; link++)
        if (!failed[level].has(link)) climb(level + 1, levels[level].parentOfLink[link])
    }
    climb(0, leaf)
    return found
  }
  const ofOther = above(to)
  return [...above(from)].some((sw) => ofOther.has(sw))
}

/**
 * Follows a message from a leaf to a node.
 *
 * @returns a message about a failed link, a second way up or a wrong node; false if a switch drops the message; true if
 *   the message arrives
 */
export function walk(
  topology: Topology,
  tables: Pick<ForwardingTables, 'port'>,
  failed: Failed,
  leaf: number,
  node: number,
): boolean | string {
  const ports = downPorts(topology)
  let isDescending = false
  for (let [level, sw] = [0, leaf]; ;) {
    const port = tables.port(level, sw, node)
    if (port < 0) return false
    const { first, below } = ports[level]
    const count = first[sw + 1] - first[sw]
    if (port < count && level === 0) return below[first[sw] + port] === node || 'it ends at another node'
    if (port < count) {
      const link = below[first[sw] + port]
      if (failed[level - 1].has(link)) return 'it takes a failed link down'
      isDescending = true
      sw = switchOfLink(topology, --level, link)
    } else {
      const link = topology.levels[level].firstPort[sw] + port - count
      if (isDescending) return 'it goes up twice'
      if (link >= topology.levels[level].firstPort[sw + 1]) return 'it takes a port that the switch lacks'
      if (failed[level].has(link)) return 'it takes a failed link up'
      sw = topology.levels[level++].parentOfLink[link]
    }
  }
}

/** Draws some links of a machine, as the resources of a failure. */
export function drawnLinks(topology: Topology, draw: Draw): Resources {
  const links = topology.levels.map(({ links: count }) =>
    draw
      .sample(
        Array.from({ length: count }, (_, link) => link),
        draw.below(Math.min(4, count + 1)),
      )
      .sort((a, b) => a - b),
  )
  return { nodes: [], links }
}

/** Draws running jobs on distinct nodes, as allocations without links. */
export function drawnJob(free: ReadonlySet<number>, draw: Draw): Resources {
  const nodes = [...free]
  return { nodes: draw.sample(nodes, 1 + draw.below(Math.min(nodes.length, 8))).sort((a, b) => a - b), links: [] }
}
