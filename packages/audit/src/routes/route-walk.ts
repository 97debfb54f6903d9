import { type DownPorts, switchOfLink, type Topology } from '@cloister/topology'
import { NO_ENTRY, type SwitchEntries } from './partition-routes.ts'

interface Hop {
  /** 0 if the port leads to a node; for a link, the level of the link plus 1. */
  readonly region: number
  readonly id: number
  /** Level of the switch at the other end of the link; for a node, the level of the present switch. */
  readonly level: number
  readonly sw: number
}

/**
 * Follows the forwarding entries of one job port by port, independently of the rules that made the entries.
 *
 * @param nodes nodes of the job: the destinations of the entries, in the same order
 * @param ports `downPorts(topology)`
 * @param owns returns true if the job has the node `id` (region 0), or the link `id` of a level (region: level + 1)
 * @returns a message about the first entry that leads to a node or link of another job, or to a wrong node. If no entry
 *   is wrong, a message about the first pair of nodes without a route. Undefined if every pair of nodes has a route.
 */
export function breachOfRoutes(
  topology: Topology,
  ports: ReadonlyArray<DownPorts>,
  nodes: Int32Array,
  routes: ReadonlyArray<SwitchEntries>,
  owns: (region: number, id: number) => boolean,
): string | undefined {
  for (const { level, sw, ports: row } of routes) {
    for (let j = 0; j < row.length; j++) {
      if (row[j] === NO_ENTRY) continue
      const hop = hopOf(topology, ports, level, sw, row[j])
      if (hop === undefined)
        return `${switchName(level, sw)} sends messages for node ${nodes[j]} to port ${row[j]}, which the switch does not have`
      if (!owns(hop.region, hop.id))
        return `${switchName(level, sw)} sends messages for node ${nodes[j]} over ${partName(hop)}, which the job does not own`
      if (hop.region === 0 && hop.id !== nodes[j])
        return `${switchName(level, sw)} sends messages for node ${nodes[j]} to node ${hop.id}`
    }
  }
  return unconnected(topology, ports, nodes, routes)
}

/** Walks from each leaf to each node, because all nodes of a leaf share the entries of the leaf. */
function unconnected(
  topology: Topology,
  ports: ReadonlyArray<DownPorts>,
  nodes: Int32Array,
  routes: ReadonlyArray<SwitchEntries>,
): string | undefined {
  const rows = topology.levels.map(() => new Map<number, Uint16Array>())
  for (const { level, sw, ports: row } of routes) rows[level].set(sw, row)
  let leaf = -1
  for (const source of nodes) {
    if (topology.leafOfNode[source] === leaf) continue
    leaf = topology.leafOfNode[source]
    for (let j = 0; j < nodes.length; j++) {
      const stop = walk(topology, ports, rows, leaf, j)
      if (stop !== undefined) return `node ${source} does not reach node ${nodes[j]}: ${stop}`
    }
  }
  return undefined
}

/** Returns the reason why a message from a leaf does not arrive at the node with index `j`; undefined if it arrives. */
function walk(
  topology: Topology,
  ports: ReadonlyArray<DownPorts>,
  rows: ReadonlyArray<ReadonlyMap<number, Uint16Array>>,
  leaf: number,
  j: number,
): string | undefined {
  let level = 0
  let sw = leaf
  // The longest route on a tree leads up to the top and down again. A longer walk is a loop.
  for (let hops = 0; hops < 2 * topology.levels.length; hops++) {
    const port = rows[level].get(sw)?.[j] ?? NO_ENTRY
    if (port === NO_ENTRY) return `${switchName(level, sw)} has no entry for the node`
    const hop = hopOf(topology, ports, level, sw, port)!
    if (hop.region === 0) return undefined
    level = hop.level
    sw = hop.sw
  }
  return 'the entries form a loop'
}

function hopOf(
  topology: Topology,
  ports: ReadonlyArray<DownPorts>,
  level: number,
  sw: number,
  port: number,
): Hop | undefined {
  const { first, below } = ports[level]
  const { firstPort, parentOfLink } = topology.levels[level]
  const down = first[sw + 1] - first[sw]
  if (port < down) {
    const id = below[first[sw] + port]
    return level === 0
      ? { region: 0, id, level, sw }
      : { region: level, id, level: level - 1, sw: switchOfLink(topology, level - 1, id) }
  }
  const link = firstPort[sw] + port - down
  return link < firstPort[sw + 1]
    ? { region: level + 1, id: link, level: level + 1, sw: parentOfLink[link] }
    : undefined
}

function switchName(level: number, sw: number): string {
  return level === 0 ? `leaf ${sw}` : level === 1 ? `L2 switch ${sw}` : `switch ${sw} of level ${level}`
}

function partName({ region, id }: Hop): string {
  return region === 0
    ? `the port of node ${id}`
    : region === 1
      ? `leaf uplink ${id}`
      : region === 2
        ? `L2 uplink ${id}`
        : `uplink ${id} of level ${region - 1}`
}
