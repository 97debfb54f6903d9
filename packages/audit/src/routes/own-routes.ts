import type { Topology } from '@cloister/topology'

/** Leaves of one allocation that reach different switches: more are not compared with each other. */
const COMPARED = 2 ** 11

/** A leaf, and for each level above the leaves the switches that it reaches, ascending: by all links and by those of the job. */
interface Reach {
  readonly leaf: number
  readonly all: ReadonlyArray<ReadonlyArray<number>>
  readonly own: ReadonlyArray<ReadonlyArray<number>>
}

/**
 * Finds the nodes of an allocation that no minimal route over its own links connects. A minimal route goes up to the lowest
 * level at which two leaves have a switch in common, and down again: both leaves have to reach one switch there.
 *
 * @returns what is missing, or undefined where nothing is. Takes nodes and, level by level, links, ascending
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

/** The switches that a leaf reaches upwards by links that pass a test, level by level above its own. */
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
