import { lowerBound } from './idsets.ts'
import type { SwitchLevel, Topology } from './topology.ts'

// The functions on links run often and do not check their arguments: levels, ids and ports must be in range.

/** Returns the number of links from a switch to the level above; 0 at the top. */
export function upPorts(topology: Topology, level: number, sw: number): number {
  const { firstPort } = topology.levels[level]
  return firstPort[sw + 1] - firstPort[sw]
}

/** Returns the id of the link at an up-port of a switch, from 0 within the level of the switch. */
export function linkId(topology: Topology, level: number, sw: number, port: number): number {
  return topology.levels[level].firstPort[sw] + port
}

/** Returns the lower switch of a link. */
export function switchOfLink(topology: Pick<Topology, 'levels' | 'pgft'>, level: number, link: number): number {
  const { firstPort, switches } = topology.levels[level]
  if (topology.pgft !== undefined) return Math.floor(link / firstPort[1])
  return lowerBound(switches, (sw) => firstPort[sw + 1] <= link)
}

/** Returns the up-port of a link at its lower switch. */
export function portOfLink(topology: Topology, level: number, link: number): number {
  return link - topology.levels[level].firstPort[switchOfLink(topology, level, link)]
}

/** Returns the parent switch at the upper end of an up-port, as an id within the level above. */
export function parentOf(topology: Topology, level: number, sw: number, port: number): number {
  const { firstPort, parentOfLink } = topology.levels[level]
  return parentOfLink[firstPort[sw] + port]
}

/** Returns the number of the cable at an up-port, from 0, among the parallel cables from the switch to one parent. */
export function cableOf(topology: Topology, level: number, sw: number, port: number): number {
  if (topology.pgft !== undefined) return Math.floor(port / topology.pgft.w[level + 1])
  const { firstPort, parentOfLink } = topology.levels[level]
  const link = firstPort[sw] + port
  let cable = 0
  for (let before = firstPort[sw]; before < link; before++) if (parentOfLink[before] === parentOfLink[link]) cable++
  return cable
}

/** Numbers of links of a switch: `down` to nodes or child switches, and `up` to parents. */
export interface Taper {
  readonly down: number
  readonly up: number
}

/** Returns, for each level below the top, the numbers of links of the switch with the most links down per link up. */
export function tapersOf(topology: Topology): ReadonlyArray<Taper> {
  const { leaves, levels, firstNodeOfLeaf } = topology
  let down = Int32Array.from({ length: leaves }, (_, leaf) => firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
  return levels.slice(0, -1).map(({ switches, firstPort, parentOfLink }, level) => {
    let worst: Taper = { down: 0, up: 1 }
    for (let sw = 0; sw < switches; sw++) {
      const taper = { down: down[sw], up: firstPort[sw + 1] - firstPort[sw] }
      if (taper.down * worst.up > worst.down * taper.up) worst = taper
    }
    down = new Int32Array(levels[level + 1].switches)
    for (const parent of parentOfLink) down[parent]++
    return worst
  })
}

/** Returns true if no switch is tapered: every switch below the top has at least as many links up as down. */
export function isFullBisection(topology: Topology): boolean {
  return tapersOf(topology).every(({ down, up }) => up >= down)
}

/**
 * Down-ports of the switches of a level. The ports of a switch have numbers from 0: first the down-ports, then the
 * up-ports, so that up-port `u` is port `downPorts + u`. The down-ports of a leaf are in the order of the ids of the
 * nodes. The down-ports of any other switch are in the order of the ids of the links from the level below.
 */
export interface DownPorts {
  /** Index in `below` of the first down-port of each switch, then the number of down-ports; length `switches + 1`. */
  readonly first: Int32Array
  /** Id of the node (for leaves), or of the link from the level below, at each down-port. */
  readonly below: Int32Array
  /** Down-port, within its switch, of each node or of each link of the level below: the inverse of `below`. */
  readonly portOf: Int32Array
}

/** Returns the down-ports of every level, from the leaves up. */
export function downPorts(topology: Pick<Topology, 'levels' | 'leafOfNode'>): ReadonlyArray<DownPorts> {
  const { levels, leafOfNode } = topology
  return levels.map(({ switches }, level) =>
    portsAbove(switches, level === 0 ? leafOfNode : levels[level - 1].parentOfLink),
  )
}

/** Returns the number of ports of each switch, one array a level: down-ports and up-ports together. */
export function portCounts(topology: Topology): ReadonlyArray<Int32Array> {
  const down = downPorts(topology)
  return topology.levels.map(({ switches, firstPort }, level) => {
    const { first } = down[level]
    return Int32Array.from(
      { length: switches },
      (_, sw) => first[sw + 1] - first[sw] + firstPort[sw + 1] - firstPort[sw],
    )
  })
}

/** `switchAbove` is the switch at the upper end of each node's cable, or of each link from the level below. */
function portsAbove(switches: number, switchAbove: SwitchLevel['parentOfLink']): DownPorts {
  const first = new Int32Array(switches + 1)
  for (const sw of switchAbove) first[sw + 1]++
  for (let sw = 0; sw < switches; sw++) first[sw + 1] += first[sw]
  const below = new Int32Array(switchAbove.length)
  const portOf = new Int32Array(switchAbove.length)
  const next = first.slice()
  switchAbove.forEach((sw, id) => {
    portOf[id] = next[sw] - first[sw]
    below[next[sw]++] = id
  })
  return { first, below, portOf }
}

/**
 * Returns the level of the lowest switch above both nodes: 0 for nodes of the same leaf, 1 for nodes below a common L2
 * switch, and so on; `levels.length` if no switch is above both. All parents of a switch are above its nodes.
 */
export function lowestCommonLevel(topology: Topology, nodeA: number, nodeB: number): number {
  let a = topology.leafOfNode[nodeA]
  let b = topology.leafOfNode[nodeB]
  if (topology.pgft === undefined) return lowestCommonLevelInGraph(topology, a, b)
  let level = 0
  while (a !== b) {
    level++
    a = Math.floor(a / topology.pgft.m[level])
    b = Math.floor(b / topology.pgft.m[level])
  }
  return level
}

function lowestCommonLevelInGraph({ levels }: Topology, leafA: number, leafB: number): number {
  let a = new Set([leafA])
  let b = new Set([leafB])
  let level = 0
  while (level < levels.length && isDisjoint(a, b)) {
    a = parentsOfAll(levels[level], a)
    b = parentsOfAll(levels[level], b)
    level++
  }
  return level
}

function parentsOfAll({ firstPort, parentOfLink }: SwitchLevel, switches: ReadonlySet<number>): Set<number> {
  const parents = new Set<number>()
  for (const sw of switches)
    for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) parents.add(parentOfLink[link])
  return parents
}

function isDisjoint(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  for (const id of a) if (b.has(id)) return false
  return true
}

/** Returns the leaves below a switch, ascending; for a leaf, the leaf itself. */
export function leavesBelow(topology: Topology, level: number, sw: number): Int32Array {
  if (topology.pgft === undefined) return leavesBelowInGraph(topology, level, sw)
  const { m, w } = topology.pgft
  let subtree = sw
  let leaves = 1
  for (let i = 1; i <= level; i++) {
    subtree = Math.floor(subtree / w[i])
    leaves *= m[i]
  }
  return Int32Array.from({ length: leaves }, (_, i) => subtree * leaves + i)
}

function leavesBelowInGraph({ levels }: Topology, level: number, sw: number): Int32Array {
  let below = new Uint8Array(levels[level].switches)
  below[sw] = 1
  for (let lower = level - 1; lower >= 0; lower--) {
    const { switches, firstPort, parentOfLink } = levels[lower]
    const children = new Uint8Array(switches)
    for (let child = 0; child < switches; child++) {
      for (let link = firstPort[child]; link < firstPort[child + 1]; link++)
        children[child] |= below[parentOfLink[link]]
    }
    below = children
  }
  return Int32Array.from([...below.keys()].filter((leaf) => below[leaf] === 1))
}

/**
 * Groups consecutive parts of a machine, such as leaves into blocks. Each group has the fewest parts with at least
 * `nodes` nodes together (`nodes` > 0); the last group may have fewer nodes.
 *
 * @param firstNode first node of each part, then the number of all nodes: `firstNodeOfLeaf` for leaves
 * @returns number of the first part of each group, then the number of all parts
 * @example consecutiveGroups([0, 9, 18, 27], 18) // [0, 2, 3]: the first two leaves, and the third
 */
export function consecutiveGroups(firstNode: ArrayLike<number>, nodes: number): Int32Array {
  const first: Array<number> = [0]
  const parts = firstNode.length - 1
  for (let part = 1; part <= parts; part++)
    if (part === parts || firstNode[part] - firstNode[first[first.length - 1]] >= nodes) first.push(part)
  return Int32Array.from(first)
}

/** Describes levels with fewer links up than down: `12 nodes over 6 uplinks of a leaf`, undefined for a full tree. */
export function describeTaper(topology: Topology): string | undefined {
  const tapered = tapersOf(topology).flatMap((taper, level) =>
    taper.down > taper.up ? [describeSwitch(taper, level)] : [],
  )
  return tapered.length === 0 ? undefined : tapered.join(', ')
}

function describeSwitch({ down, up }: Taper, level: number): string {
  const uplinks = up === 1 ? '1 uplink' : `${up} uplinks`
  return level === 0
    ? `${down} nodes over ${uplinks} of a leaf`
    : `${down} links over ${uplinks} of an ${levelName(level)} switch`
}

/** Returns the links down for each link up of a switch: `2:1`, `1.33:1`, or `none` for a switch without links up. */
export function taperText({ down, up }: Taper): string {
  return up === 0 ? 'none' : `${Number((down / up).toFixed(2))}:1`
}

/** Returns the name of a level of switches, from 0: `leaf`, `L2`, `spine`, `L4`. */
export function levelName(level: number): string {
  return ['leaf', 'L2', 'spine'][level] ?? `L${level + 1}`
}
