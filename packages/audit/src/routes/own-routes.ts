import type { Topology } from '@cloister/topology'

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
