import type { SwitchLevel, Topology } from '../topology.ts'

/**
 * Down-ports of the switches of a level. The ports of a switch have numbers from 0: first the down-ports, then the
 * up-ports, so that up-port `u` is port `downPorts + u`. Down-ports are in the order of the ids at their lower ends:
 * nodes for a leaf, links from the level below for an upper switch.
 */
export interface DownPorts {
  /** Index in `below` of the first down-port of each switch; length `switches + 1`. */
  readonly first: Int32Array
  /** Node, or link of the level below, at each down-port. */
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

/** Returns the down-ports of a level. @param switchAbove switch at the upper end of each node or link */
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
