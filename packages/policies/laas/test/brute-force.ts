import type { StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Numbers of free nodes on the leaves of a three-level tree, and of free cables between switches. */
export interface Free {
  /** Number of free nodes of a leaf, at `[pod][leaf]`. */
  readonly nodes: ReadonlyArray<ReadonlyArray<number>>
  /** Number of free cables from a leaf to L2 index i, at `[pod][leaf][i]`. */
  readonly uplinks: ReadonlyArray<ReadonlyArray<Vector>>
  /** Number of free cables from L2 index i to spine j, at `[pod][i][j]`. */
  readonly spineLinks: ReadonlyArray<ReadonlyArray<Vector>>
}

type Vector = ReadonlyArray<number>

export function freeResources({ pgft, pods, firstLeafOfPod, firstL2OfPod }: Topology, state: StateView): Free {
  const [, l2 = 0, spines = 0] = pgft!.w
  const [, leafCables = 1, l2Cables = 1] = pgft!.p
  const cables = (level: number, sw: number, parents: number, each: number): Vector =>
    range(parents).map(
      (parent) => range(each).filter((cable) => isFree(state, level, sw, parent + cable * parents)).length,
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

function isFree(state: StateView, level: number, sw: number, port: number): boolean {
  return (state.portMask(level, sw, port >>> 5) & (1 << (port & 31))) !== 0
}

/** Returns true if a single pod can hold a job by the two-level conditions, by exhaustive search. */
export function fitsInOnePod(free: Free, nodes: number): boolean {
  return free.nodes.some(
    (leaves, pod) => leaves.some((have) => have >= nodes) || fitsOnLeaves(leaves, free.uplinks[pod], nodes),
  )
}

/**
 * Returns true if a pod has full leaves with n nodes each over the same vector c of cables, and a remainder leaf with
 * fewer nodes over cables within c, for `wanted` nodes in all.
 */
function fitsOnLeaves(nodes: Vector, uplinks: ReadonlyArray<Vector>, wanted: number): boolean {
  return range(1, wanted).some((perLeaf) => {
    const full = Math.floor(wanted / perLeaf)
    const rest = wanted % perLeaf
    if (full + Math.sign(rest) > nodes.length) return false
    return subsets(
      range(nodes.length).filter((leaf) => nodes[leaf] >= perLeaf),
      full,
    ).some((leaves) =>
      vectors(least(leaves.map((leaf) => uplinks[leaf])), perLeaf).some(
        (c) =>
          rest === 0 ||
          range(nodes.length).some(
            (leaf) => !leaves.includes(leaf) && nodes[leaf] >= rest && sum(least([c, uplinks[leaf]])) >= rest,
          ),
      ),
    )
  })
}

/**
 * Returns true if whole leaves in several pods can hold a job by the two-level conditions one level up, by exhaustive
 * search.
 */
export function fitsOnWholeLeaves({ pgft }: Topology, free: Free, nodes: number): boolean {
  const [nodesPerLeaf, leavesPerPod] = pgft!.m
  const [, l2 = 0] = pgft!.w
  const [, leafCables = 1] = pgft!.p
  const wholeLeaf = Math.min(nodesPerLeaf, l2 * leafCables)
  const wanted = Math.ceil(nodes / wholeLeaf)
  const whole = free.nodes.map(
    (leaves, pod) =>
      leaves.filter(
        (have, leaf) => have >= wholeLeaf && free.uplinks[pod][leaf].every((cables) => cables === leafCables),
      ).length,
  )
  return range(1, leavesPerPod + 1).some((perPod) => {
    const full = Math.floor(wanted / perPod)
    const rest = wanted % perPod
    if (full + Math.sign(rest) < 2) return false
    return subsets(
      range(whole.length).filter((pod) => whole[pod] >= perPod),
      full,
    ).some((pods) => {
      const remainderPods =
        rest === 0 ? [undefined] : range(whole.length).filter((pod) => !pods.includes(pod) && whole[pod] >= rest)
      return remainderPods.some((remainder) =>
        range(l2).every((i) =>
          vectors(least(pods.map((pod) => free.spineLinks[pod][i])), perPod * leafCables).some(
            (a) => remainder === undefined || sum(least([a, free.spineLinks[remainder][i]])) >= rest * leafCables,
          ),
        ),
      )
    })
  })
}

export function range(from: number, to?: number): ReadonlyArray<number> {
  return to === undefined ? range(0, from) : Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
}

function sum(vector: Vector): number {
  return vector.reduce((total, each) => total + each, 0)
}

function least(vectors: ReadonlyArray<Vector>): Vector {
  return vectors.reduce((a, b) => a.map((each, i) => Math.min(each, b[i])))
}

function vectors(bound: Vector, total: number): ReadonlyArray<Vector> {
  if (bound.length === 0) return total === 0 ? [[]] : []
  const [first, ...rest] = bound
  return range(Math.min(first, total) + 1).flatMap((head) => vectors(rest, total - head).map((tail) => [head, ...tail]))
}

function subsets(all: ReadonlyArray<number>, size: number): ReadonlyArray<ReadonlyArray<number>> {
  if (size === 0) return [[]]
  return all.flatMap((first, at) => subsets(all.slice(at + 1), size - 1).map((rest) => [first, ...rest]))
}
