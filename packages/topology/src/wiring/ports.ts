import type { SwitchLevel, Topology } from '../topology.ts'

/**
 * The down-ports of the switches of one level. A switch numbers its ports from 0: first the down-ports, in order of the ids
 * of what hangs on them (a leaf's nodes, an upper switch's links from the level below), then its up-ports, so that up-port
 * `u` is port `downPorts + u`.
 */
export interface DownPorts {
  /** First of each switch's down-ports in `below`; length `switches + 1`. */
  readonly first: Int32Array
  /** Node, or link of the level below, on each down-port. */
  readonly below: Int32Array
  /** The inverse: the down-port of each node, or of each link of the level below. */
  readonly portOf: Int32Array
}

/** The down-ports of every level, leaves first. */
export function downPorts(topology: Topology): ReadonlyArray<DownPorts> {
  const { levels, leafOfNode } = topology
  return levels.map(({ switches }, level) =>
    portsAbove(switches, level === 0 ? leafOfNode : levels[level - 1].parentOfLink),
  )
}

/** @param switchAbove the switch at the upper end of each id */
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
