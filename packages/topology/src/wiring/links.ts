import { lowerBound } from '../lower-bound.ts'
import type { Topology } from '../topology.ts'

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
export function switchOfLink(topology: Topology, level: number, link: number): number {
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
