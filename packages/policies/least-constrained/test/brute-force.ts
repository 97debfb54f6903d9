import type { StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Numbers of free nodes on the leaves of a three-level tree, and of free cables between switches. */
export interface Free {
  /** Number of free nodes of a leaf, at `[pod][leaf]`. */
  readonly nodes: ReadonlyArray<Vector>
  /** Number of free cables from a leaf to L2 index i, at `[pod][leaf][i]`. */
  readonly uplinks: ReadonlyArray<ReadonlyArray<Vector>>
  /** Number of free cables from L2 index i to spine j, at `[pod][i][j]`. */
  readonly spineLinks: ReadonlyArray<ReadonlyArray<Vector>>
}

type Vector = ReadonlyArray<number>

/** Counts the free nodes and cables of a state. @param isFree returns true if a job may use a link */
export function freeResources(
  { pgft, pods, levels, firstLeafOfPod, firstL2OfPod }: Topology,
  state: StateView,
  isFree: (level: number, link: number) => boolean,
): Free {
  const [, l2 = 0, spines = 0] = pgft!.w
  const [, leafCables = 1, l2Cables = 1] = pgft!.p
  const cables = (level: number, sw: number, parents: number, each: number): Vector =>
    range(parents).map(
      (parent) =>
        range(each).filter((cable) => isFree(level, levels[level].firstPort[sw] + parent + cable * parents)).length,
    )
  return {
    nodes: range(pods).map((pod) =>
      range(firstLeafOfPod[pod], firstLeafOfPod[pod + 1]).map((leaf) => state.freeNodesOnLeaf(leaf)),
    ),
    uplinks: range(pods).map((pod) =>
      range(firstLeafOfPod[pod], firstLeafOfPod[pod + 1]).map((leaf) => cables(0, leaf, l2, leafCables)),
    ),
    spineLinks: range(pods).map((pod) =>
      range(firstL2OfPod[pod], firstL2OfPod[pod + 1]).map((sw) => cables(1, sw, spines, l2Cables)),
    ),
  }
}

/**
 * Returns the sizes that the conditions allow, by exhaustive search of leaves, cables and spines.
 *
 * @param anyRemainderPod allows the remainder leaf in either pod of a job in two pods
 */
export function sizesThatFit(free: Free, anyRemainderPod: boolean = false): ReadonlySet<number> {
  const sizes = new Set(free.nodes.flat().flatMap((nodes) => range(1, nodes + 1)))
  free.nodes.forEach((nodes, pod) => addInOnePod(nodes, free.uplinks[pod], sizes))
  addInSeveralPods(free, sizes, anyRemainderPod)
  return sizes
}

/**
 * Adds the sizes of all placements in one pod: full leaves over the same vector c of cables, and perhaps a remainder
 * leaf over cables within c.
 */
function addInOnePod(nodes: Vector, uplinks: ReadonlyArray<Vector>, sizes: Set<number>): void {
  for (const c of vectorsWithin(most(uplinks))) {
    const full = range(nodes.length).filter((leaf) => holds(nodes[leaf], uplinks[leaf], c))
    for (const leaves of subsets(full)) {
      sizes.add(leaves.length * sum(c))
      for (const leaf of range(nodes.length).filter((other) => !leaves.includes(other))) {
        for (const r of partsOf(c)) if (holds(nodes[leaf], uplinks[leaf], r)) sizes.add(leaves.length * sum(c) + sum(r))
      }
    }
  }
}

/**
 * Adds the sizes of placements in several pods: full pods with equal numbers of full leaves over the same vector c of
 * cables, and perhaps a remainder pod with fewer nodes.
 */
function addInSeveralPods(free: Free, sizes: Set<number>, anyRemainderPod: boolean): void {
  const pods = range(free.nodes.length)
  const spinesFit = spineChooser(free)
  for (const c of vectorsWithin(most(free.uplinks.flat()))) {
    const fullLeaves = pods.map((pod) =>
      range(free.nodes[pod].length).filter((leaf) => holds(free.nodes[pod][leaf], free.uplinks[pod][leaf], c)),
    )
    for (const leaves of range(1, Math.max(...fullLeaves.map(({ length }) => length)) + 1)) {
      for (const full of subsets(pods.filter((pod) => fullLeaves[pod].length >= leaves))) {
        const fits = (other: number | undefined, needed: Vector): boolean =>
          c.every((cables, i) => spinesFit(full, i, cables * leaves, other, needed[i]))
        if (
          !fits(
            undefined,
            c.map(() => 0),
          )
        )
          continue
        const size = full.length * leaves * sum(c)
        if (full.length > 1) sizes.add(size)
        if (anyRemainderPod && full.length === 1) addWithLeafInFullPod(full[0], leaves, c)
        for (const pod of pods.filter((other) => !full.includes(other))) {
          for (const more of range(leaves)) {
            const ofMore = c.map((cables) => cables * more)
            if (more > 0 && fullLeaves[pod].length >= more && fits(pod, ofMore)) sizes.add(size + more * sum(c))
            for (const leaf of range(free.nodes[pod].length)) {
              if (fullLeaves[pod].filter((other) => other !== leaf).length < more) continue
              for (const r of partsOf(c)) {
                if (holds(free.nodes[pod][leaf], free.uplinks[pod][leaf], r) && fits(pod, add(ofMore, r)))
                  sizes.add(size + more * sum(c) + sum(r))
              }
            }
          }
        }
      }
    }

    /** Adds the sizes with `leaves` full leaves and the remainder leaf in pod `a`, and at most as many full leaves in a second pod. */
    function addWithLeafInFullPod(a: number, leaves: number, cables: Vector): void {
      for (const b of pods.filter((other) => other !== a)) {
        for (const more of range(1, Math.min(leaves, fullLeaves[b].length) + 1)) {
          for (const leaf of range(free.nodes[a].length)) {
            if (fullLeaves[a].filter((other) => other !== leaf).length < leaves) continue
            for (const r of partsOf(cables)) {
              if (!holds(free.nodes[a][leaf], free.uplinks[a][leaf], r)) continue
              if (cables.every((each, i) => spinesFit([a], i, each * leaves + r[i], b, each * more)))
                sizes.add((leaves + more) * sum(cables) + sum(r))
            }
          }
        }
      }
    }
  }
}

/**
 * Returns a test for L2 index i: full pods must have `wanted` free cables to the same spines, and a remainder pod
 * `needed` free cables to some of these spines.
 */
function spineChooser({
  spineLinks,
}: Free): (full: Vector, i: number, wanted: number, other: number | undefined, needed: number) => boolean {
  const known = new Map<string, boolean>()
  const choose = (full: Vector, i: number, wanted: number, other: number | undefined, needed: number): boolean =>
    vectorsWithin(least(full.map((pod) => spineLinks[pod][i])))
      .concat([spineLinks[0][i].map(() => 0)])
      .some((a) => sum(a) === wanted && (other === undefined || sum(least([a, spineLinks[other][i]])) >= needed))
  return (full, i, wanted, other, needed) => {
    const key = `${full.join()} ${i} ${wanted} ${other} ${needed}`
    const answer = known.get(key) ?? choose(full, i, wanted, other, needed)
    known.set(key, answer)
    return answer
  }
}

/** Returns true if a leaf has at least the given free cables, and at least as many free nodes as cables. */
function holds(nodes: number, uplinks: Vector, cables: Vector): boolean {
  return nodes >= sum(cables) && cables.every((count, i) => count <= uplinks[i])
}

export function range(from: number, to?: number): ReadonlyArray<number> {
  return to === undefined ? range(0, from) : Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
}

function sum(vector: Vector): number {
  return vector.reduce((total, each) => total + each, 0)
}

function add(a: Vector, b: Vector): Vector {
  return a.map((each, i) => each + b[i])
}

function least(vectors: ReadonlyArray<Vector>): Vector {
  return vectors.reduce((a, b) => a.map((each, i) => Math.min(each, b[i])))
}

function most(vectors: ReadonlyArray<Vector>): Vector {
  return vectors.reduce((a, b) => a.map((each, i) => Math.max(each, b[i])))
}

/** Returns every vector of non-negative integers, except zero, with no entry above the same entry of `bound`. */
function vectorsWithin(bound: Vector): ReadonlyArray<Vector> {
  const all = bound.reduce<ReadonlyArray<Vector>>(
    (heads, top) => heads.flatMap((head) => range(top + 1).map((each) => [...head, each])),
    [[]],
  )
  return all.filter((each) => sum(each) > 0)
}

function partsOf(c: Vector): ReadonlyArray<Vector> {
  return vectorsWithin(c).filter((each) => sum(each) < sum(c))
}

function subsets(all: Vector): ReadonlyArray<Vector> {
  return all
    .reduce<ReadonlyArray<Vector>>((sets, each) => [...sets, ...sets.map((set) => [...set, each])], [[]])
    .filter(({ length }) => length > 0)
}
