import { type DownPorts, switchOfLink, type Topology } from '@cloister/topology'
import { NO_ENTRY, type SwitchEntries } from './partition-routes.ts'

export interface Hop {
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
  return breachOfEntries(topology, ports, nodes, routes, owns) ?? unconnected(topology, ports, nodes, routes)
}

/** Returns a message about the first entry that leads to a node or link of another job, or to a wrong node. */
export function breachOfEntries(
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
  return undefined
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
      const stop = walk(topology, ports, leaf, nodes[j], (level, sw) => rows[level].get(sw)?.[j] ?? NO_ENTRY)
      if (stop !== undefined) return `node ${source} does not reach node ${nodes[j]}: ${stop}`
    }
  }
  return undefined
}

/**
 * Follows a message from a leaf to a node.
 *
 * @param portOf returns the port of a switch towards the node; NO_ENTRY if the table has no entry
 * @param isUp returns true if a link is up (region: level + 1); default: all links are up
 * @returns the reason why the message does not arrive; undefined if it arrives
 */
export function walk(
  topology: Topology,
  ports: ReadonlyArray<DownPorts>,
  leaf: number,
  node: number,
  portOf: (level: number, sw: number) => number,
  isUp: (region: number, id: number) => boolean = () => true,
): string | undefined {
  let level = 0
  let sw = leaf
  // The longest route on a tree leads up to the top and down again. A longer walk is a loop.
  for (let hops = 0; hops < 2 * topology.levels.length; hops++) {
    const port = portOf(level, sw)
    if (port === NO_ENTRY) return `${switchName(level, sw)} has no entry for the node`
    const hop = hopOf(topology, ports, level, sw, port)
    if (hop === undefined) return `${switchName(level, sw)} has no port ${port}`
    if (hop.region === 0) return hop.id === node ? undefined : `${switchName(level, sw)} sends to node ${hop.id}`
    if (!isUp(hop.region, hop.id)) return `${switchName(level, sw)} sends over ${partName(hop)}, which is down`
    level = hop.level
    sw = hop.sw
  }
  return 'the entries form a loop'
}

/** Returns the way of a message that leaves a switch by a port; undefined if the switch has no such port. */
export function hopOf(
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

export function switchName(level: number, sw: number): string {
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

/** Most kinds of leaves to compare in an allocation; leaves of one kind reach the same switches. */
const COMPARED = 2 ** 11

/** Leaf, and the switches that the leaf reaches upwards: an ascending list for each level above the leaves. */
interface Reach {
  readonly leaf: number
  /** Switches that the leaf reaches upwards by any links of the topology. */
  readonly all: ReadonlyArray<ReadonlyArray<number>>
  /** Switches that the leaf reaches upwards by links of the job alone. */
  readonly own: ReadonlyArray<ReadonlyArray<number>>
}

/**
 * Makes a test that every two leaves of an allocation have a minimal route over the allocation's own links. A minimal
 * route goes up to the lowest level at which both leaves reach a common switch, and down again.
 *
 * @returns the test, a function of ascending nodes and, level by level, ascending links. The test returns a message
 *   about two leaves without a minimal route; undefined if all leaves have minimal routes.
 */
export function ownRoutesGap(
  topology: Topology,
): (nodes: Int32Array, links: ReadonlyArray<Int32Array>) => string | undefined {
  const known = new Map<number, ReadonlyArray<ReadonlyArray<number>>>()
  const reachOf = (leaf: number): ReadonlyArray<ReadonlyArray<number>> => {
    const before = known.get(leaf)
    if (before !== undefined) return before
    const reach = reached(topology, leaf, () => true)
    known.set(leaf, reach)
    return reach
  }
  return (nodes, links) => {
    const leaves = leavesOf(topology, nodes)
    if (leaves.length <= 1) return undefined
    const own = links.map((ids) => new Set(ids))
    const kinds = new Map<string, Reach & { isSeveral: boolean }>()
    for (const leaf of leaves) {
      const reach = { leaf, all: reachOf(leaf), own: reached(topology, leaf, (level, link) => own[level]?.has(link)) }
      const key = JSON.stringify([reach.all, reach.own])
      const kind = kinds.get(key)
      if (kind === undefined) kinds.set(key, { ...reach, isSeveral: false })
      else kind.isSeveral = true
    }
    return gapBetween([...kinds.values()])
  }
}

function gapBetween(kinds: ReadonlyArray<Reach & { readonly isSeveral: boolean }>): string | undefined {
  if (kinds.length > COMPARED)
    return `the leaves of the job reach ${kinds.length} different sets of switches, more than the ${COMPARED} that the auditor compares`
  for (let a = 0; a < kinds.length; a++) {
    for (let b = a; b < kinds.length; b++) {
      if (a === b && !kinds[a].isSeveral) continue
      if (!areConnected(kinds[a], kinds[b]))
        return a === b
          ? `leaf ${kinds[a].leaf} has no minimal route to another leaf of the job over the job's own links`
          : `leaves ${kinds[a].leaf} and ${kinds[b].leaf} have no minimal route between them over the job's own links`
    }
  }
  return undefined
}

function areConnected(a: Reach, b: Reach): boolean {
  const level = a.all.findIndex((switches, at) => haveCommon(switches, b.all[at]))
  return level >= 0 && haveCommon(a.own[level], b.own[level])
}

function leavesOf({ leafOfNode }: Topology, nodes: Int32Array): ReadonlyArray<number> {
  const leaves: Array<number> = []
  for (const node of nodes) if (leafOfNode[node] !== leaves.at(-1)) leaves.push(leafOfNode[node])
  return leaves
}

/** Returns a function that tells if two leaves are equal, or have a way up and down over links of a list. */
export function joinedLeaves(topology: Topology, links: ReadonlyArray<Int32Array>): (a: number, b: number) => boolean {
  const own = links.map((ids) => new Set(ids))
  const known = new Map<number, ReadonlyArray<ReadonlyArray<number>>>()
  const above = (leaf: number): ReadonlyArray<ReadonlyArray<number>> => {
    const switches = known.get(leaf) ?? reached(topology, leaf, (level, link) => own[level]?.has(link))
    known.set(leaf, switches)
    return switches
  }
  return (a, b) => a === b || above(a).some((switches, level) => haveCommon(switches, above(b)[level]))
}

/** Returns the switches above a leaf, by links for which `passes` is true: an ascending list a level, from level 1. */
function reached(
  { levels }: Topology,
  leaf: number,
  passes: (level: number, link: number) => boolean | undefined,
): ReadonlyArray<ReadonlyArray<number>> {
  let below: ReadonlyArray<number> = [leaf]
  return levels.slice(0, -1).map(({ firstPort, parentOfLink }, level) => {
    const parents = new Set<number>()
    for (const sw of below)
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++)
        if (passes(level, link) === true) parents.add(parentOfLink[link])
    below = [...parents].sort((a, b) => a - b)
    return below
  })
}

function haveCommon(a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean {
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) return true
    if (a[i] < b[j]) i++
    else j++
  }
  return false
}
