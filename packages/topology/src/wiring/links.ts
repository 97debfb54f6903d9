import { lowerBound } from '../lower-bound.ts'
import type { Topology } from '../topology.ts'

// Hot paths: ids and ports are trusted to be in range.

/** Number of links from a switch to the level above; 0 at the top. */
export function upPorts(topology: Topology, level: number, sw: number): number {
  const { firstPort } = topology.levels[level]
  return firstPort[sw + 1] - firstPort[sw]
}

/** The link (dense id within its level) that leaves a switch by an up-port. */
export function linkId(topology: Topology, level: number, sw: number, port: number): number {
  return topology.levels[level].firstPort[sw] + port
}

/** The lower switch of a link. */
export function switchOfLink(topology: Topology, level: number, link: number): number {
  const { firstPort, switches } = topology.levels[level]
  if (topology.pgft !== undefined) return Math.floor(link / firstPort[1])
  return lowerBound(switches, (sw) => firstPort[sw + 1] <= link)
}

/** The up-port of its lower switch that a link uses. */
export function portOfLink(topology: Topology, level: number, link: number): number {
  return link - topology.levels[level].firstPort[switchOfLink(topology, level, link)]
}

/** The switch of the level above that an up-port leads to. */
export function parentOf(topology: Topology, level: number, sw: number, port: number): number {
  const { firstPort, parentOfLink } = topology.levels[level]
  return parentOfLink[firstPort[sw] + port]
}

/** Which of the parallel cables between a switch and its parent an up-port uses, from 0. */
export function cableOf(topology: Topology, level: number, sw: number, port: number): number {
  if (topology.pgft !== undefined) return Math.floor(port / topology.pgft.w[level + 1])
  const { firstPort, parentOfLink } = topology.levels[level]
  const link = firstPort[sw] + port
  let cable = 0
  for (let before = firstPort[sw]; before < link; before++) if (parentOfLink[before] === parentOfLink[link]) cable++
  return cable
}

/** Whether every switch below the top has at least as many links up as down: the tree is nowhere tapered. */
export function isFullBisection(topology: Topology): boolean {
  let down = new Int32Array(topology.leaves)
  for (let leaf = 0; leaf < topology.leaves; leaf++)
    down[leaf] = topology.firstNodeOfLeaf[leaf + 1] - topology.firstNodeOfLeaf[leaf]
  for (let level = 0; level + 1 < topology.levels.length; level++) {
    const { switches, firstPort, parentOfLink } = topology.levels[level]
    for (let sw = 0; sw < switches; sw++) if (firstPort[sw + 1] - firstPort[sw] < down[sw]) return false
    down = new Int32Array(topology.levels[level + 1].switches)
    for (const parent of parentOfLink) down[parent]++
  }
  return true
}
