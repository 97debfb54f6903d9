import type { SwitchLevel, Topology } from '../topology.ts'

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
export function downPorts(topology: Topology): ReadonlyArray<DownPorts> {
  const { levels, leafOfNode } = topology
  return levels.map(({ switches }, level) =>
    portsAbove(switches, level === 0 ? leafOfNode : levels[level - 1].parentOfLink),
  )
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
