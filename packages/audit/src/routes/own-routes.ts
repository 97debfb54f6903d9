import type { Topology } from '@cloister/topology'

/** Most kinds of leaves of an allocation to compare with each other. Leaves of one kind reach the same switches. */
const COMPARED = 2 ** 11

/** A leaf and the switches in its reach upwards, an ascending list for each level above the leaves. */
interface Reach {
  readonly leaf: number
  /** Switches in reach by all links of the topology. */
  readonly all: ReadonlyArray<ReadonlyArray<number>>
  /** Switches in reach by links of the job. */
  readonly own: ReadonlyArray<ReadonlyArray<number>>
}

/**
 * Finds leaves of an allocation without a minimal route between them over the allocation's own links. A minimal route
 * goes up to the lowest level at which both leaves reach a common switch, and down again.
 *
 * @returns a function of ascending nodes and, level by level, ascending links. It returns a message, or undefined if
 * all nodes are connected.
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
    return `its leaves reach ${kinds.length} different sets of switches; more than ${COMPARED} are not compared`
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

/** Returns the switches in reach of a leaf upwards by links that pass the test, a list a level from level 1. */
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
