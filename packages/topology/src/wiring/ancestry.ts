import type { SwitchLevel, Topology } from '../topology.ts'

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
