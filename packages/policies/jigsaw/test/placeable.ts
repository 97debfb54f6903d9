import type { Placement, StateView } from '@cloister/placement'
import { cableOf, parentOf, type Topology, upPorts } from '@cloister/topology'
import { FULL, type Needs } from './conditions.ts'

/**
 * Returns, for each size, the shapes (named by `shapeOf`) of all placements that Jigsaw's conditions allow in a state.
 * The search is exhaustive, over all subsets of leaves and pods and all choices of cables, so it suits only small
 * trees.
 */
export function placeableShapes(
  topology: Topology,
  state: StateView,
  holdUplinks: boolean,
  needs: Needs = FULL,
): ReadonlyMap<number, ReadonlySet<string>> {
  const free = countFree(topology, state, needs)
  const found = new Map<number, Set<string>>()
  const add = (size: number, shape: string): void => {
    found.set(size, (found.get(size) ?? new Set()).add(shape))
  }
  oneLeaf(free, holdUplinks, add)
  for (const leaves of free.leaves) onePod(free, leaves, add)
  if (free.leaves.length > 1) severalPods(free, add)
  return found
}

/**
 * Returns the name of the shape of a placement: `leaf`; `pod:` and the number of nodes of a full leaf; or `pods:` and
 * the number of full leaves of a full pod.
 */
export function shapeOf(topology: Topology, { nodes }: Placement): string {
  const perLeaf = new Map<number, number>()
  for (const node of Array.from(nodes))
    perLeaf.set(topology.leafOfNode[node], (perLeaf.get(topology.leafOfNode[node]) ?? 0) + 1)
  const perPod = new Map<number, number>()
  const most = Math.max(...perLeaf.values())
  for (const [leaf, count] of perLeaf)
    perPod.set(topology.podOfLeaf[leaf], (perPod.get(topology.podOfLeaf[leaf]) ?? 0) + (count === most ? 1 : 0))
  if (perLeaf.size === 1) return 'leaf'
  return perPod.size === 1 ? `pod:${most}` : `pods:${Math.max(...perPod.values())}`
}

type Vector = ReadonlyArray<number>

interface FreeLeaf {
  readonly nodes: number
  /** Number of free cables of the leaf to each L2 index. */
  readonly cables: Vector
}

interface Free {
  /** Leaves of each pod with their free nodes and cables. */
  readonly leaves: ReadonlyArray<ReadonlyArray<FreeLeaf>>
  /** Number of free cables from L2 index i to each spine, at `[pod][i]`. */
  readonly spines: ReadonlyArray<ReadonlyArray<Vector>>
  /** Number of nodes that a job gets on a whole leaf. */
  readonly whole: number
  readonly needs: Needs
  readonly leafCables: number
  readonly l2Cables: number
}

function countFree(topology: Topology, state: StateView, needs: Needs): Free {
  const { pods, firstLeafOfPod, firstL2OfPod, firstNodeOfLeaf, levels } = topology
  const cables = (level: number, sw: number, parents: number, firstParent: number): Vector => {
    const counts = Array<number>(parents).fill(0)
    for (let port = 0; port < upPorts(topology, level, sw); port++) {
      if (((state.portMask(level, sw, port >>> 5) >>> (port & 31)) & 1) === 1)
        counts[parentOf(topology, level, sw, port) - firstParent]++
    }
    return counts
  }
  const parallel = (level: number): number => {
    const ports = upPorts(topology, level, 0)
    return ports === 0 ? 0 : cableOf(topology, level, 0, ports - 1) + 1
  }
  const [leafCables, l2Cables] = [parallel(0), levels.length > 2 ? parallel(1) : 0]
  const l2 = firstL2OfPod[1]
  return {
    leaves: span(0, pods).map((pod) =>
      span(firstLeafOfPod[pod], firstLeafOfPod[pod + 1]).map((leaf) => ({
        nodes: span(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).filter((node) => state.isNodeFree(node)).length,
        cables: cables(0, leaf, l2, firstL2OfPod[pod]),
      })),
    ),
    spines:
      l2Cables === 0
        ? []
        : span(0, pods).map((pod) =>
            span(0, l2).map((i) => {
              const sw = firstL2OfPod[pod] + i
              return cables(1, sw, upPorts(topology, 1, sw) / l2Cables, parentOf(topology, 1, sw, 0))
            }),
          ),
    whole: needs.isShare ? firstNodeOfLeaf[1] : Math.min(firstNodeOfLeaf[1], upPorts(topology, 0, 0)),
    needs,
    leafCables,
    l2Cables,
  }
}

type Add = (size: number, shape: string) => void

function oneLeaf({ leaves, needs }: Free, holdUplinks: boolean, add: Add): void {
  for (const { nodes, cables } of leaves.flat()) {
    for (let size = 1; size <= nodes; size++) if (!holdUplinks || needs.up(size) <= sum(cables)) add(size, 'leaf')
  }
}

function onePod({ leafCables, needs }: Free, leaves: ReadonlyArray<FreeLeaf>, add: Add): void {
  const indices = leaves[0].cables.length
  const most = leaves.reduce((nodes, leaf) => Math.max(nodes, leaf.nodes), 0)
  for (const full of subsets(leaves.length)) {
    for (let nodes = 1; nodes <= most; nodes++) {
      const commonSets = (uplinks: number): ReadonlyArray<Vector> =>
        vectors(indices, leafCables).filter(
          (c) => sum(c) === uplinks && full.every((leaf) => canHold(leaves[leaf], nodes, c)),
        )
      const common = commonSets(needs.up(nodes))
      if (full.length > 1 && common.length > 0) add(full.length * nodes, `pod:${nodes}`)
      for (let rest = 1; rest < nodes; rest++) {
        const isNarrow = needs.isShare && full.length === 1
        const fits = (isNarrow ? commonSets(needs.up(rest)) : common).some((c) =>
          leaves.some(
            (leaf, at) =>
              !full.includes(at) &&
              vectors(indices, leafCables).some(
                (r) => sum(r) === needs.up(rest) && isWithin(r, c) && canHold(leaf, rest, r),
              ),
          ),
        )
        if (fits) add(full.length * nodes + rest, `pod:${nodes}`)
      }
    }
  }
}

function severalPods(free: Free, add: Add): void {
  const { leaves, leafCables, whole, needs } = free
  const c = leaves[0][0].cables.map(() => leafCables)
  const wholeLeaves = (pod: number, except: FreeLeaf | undefined): number =>
    leaves[pod].filter((leaf) => leaf !== except && canHold(leaf, whole, c)).length
  const reach = spineReach(free)
  for (const full of subsets(leaves.length)) {
    for (let perPod = 1; perPod <= Math.min(...full.map((pod) => wholeLeaves(pod, undefined))); perPod++) {
      const spinesFor = (pod: number | undefined, needed: Vector): boolean =>
        needed.every((cables, i) => {
          const isNarrow = needs.isShare && full.length === 1
          const wanted = isNarrow ? cables : leafCables * perPod
          return reach(full, i, needs.spine(wanted), pod, needs.spine(cables))
        })
      if (
        !spinesFor(
          undefined,
          c.map(() => 0),
        )
      )
        continue
      if (full.length > 1) add(full.length * perPod * whole, `pods:${perPod}`)
      for (const pod of span(0, leaves.length).filter((other) => !full.includes(other))) {
        for (let more = 0; more < perPod; more++) {
          const size = (full.length * perPod + more) * whole
          if (
            more > 0 &&
            wholeLeaves(pod, undefined) >= more &&
            spinesFor(
              pod,
              c.map((cables) => cables * more),
            )
          )
            add(size, `pods:${perPod}`)
          for (const leaf of leaves[pod]) {
            if (wholeLeaves(pod, leaf) < more) continue
            for (let rest = 1; rest < whole && rest <= leaf.nodes; rest++) {
              const fits = vectors(c.length, leafCables).some(
                (r) =>
                  sum(r) === needs.up(rest) &&
                  canHold(leaf, rest, r) &&
                  spinesFor(
                    pod,
                    r.map((cables) => cables + leafCables * more),
                  ),
              )
              if (fits) add(size + rest, `pods:${perPod}`)
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
function spineReach({
  spines,
  l2Cables,
}: Free): (full: ReadonlyArray<number>, i: number, wanted: number, pod: number | undefined, needed: number) => boolean {
  const known = new Map<string, boolean>()
  const find = (
    full: ReadonlyArray<number>,
    i: number,
    wanted: number,
    pod: number | undefined,
    needed: number,
  ): boolean =>
    vectors(spines[0][i].length, l2Cables).some(
      (a) =>
        sum(a) === wanted &&
        full.every((other) => isWithin(a, spines[other][i])) &&
        (pod === undefined ||
          vectors(a.length, l2Cables).some((r) => sum(r) === needed && isWithin(r, a) && isWithin(r, spines[pod][i]))),
    )
  return (full, i, wanted, pod, needed) => {
    const key = [full.join(), i, wanted, pod, needed].join(';')
    const answer = known.get(key) ?? find(full, i, wanted, pod, needed)
    known.set(key, answer)
    return answer
  }
}

/** Returns true if a leaf has a number of free nodes, and the given numbers of free cables. */
function canHold(leaf: FreeLeaf, nodes: number, cables: Vector): boolean {
  return leaf.nodes >= nodes && isWithin(cables, leaf.cables)
}
function isWithin(some: Vector, all: Vector): boolean {
  return some.every((count, at) => count <= all[at])
}
function sum(vector: Vector): number {
  return vector.reduce((total, count) => total + count, 0)
}
function span(from: number, to: number): Array<number> {
  return Array.from({ length: to - from }, (_, at) => from + at)
}

const knownVectors = new Map<string, ReadonlyArray<Vector>>()
function vectors(length: number, most: number): ReadonlyArray<Vector> {
  const key = `${length} ${most}`
  const known = knownVectors.get(key)
  if (known !== undefined) return known
  const made: ReadonlyArray<Vector> =
    length === 0 ? [[]] : vectors(length - 1, most).flatMap((head) => span(0, most + 1).map((last) => [...head, last]))
  knownVectors.set(key, made)
  return made
}

const knownSubsets = new Map<number, ReadonlyArray<ReadonlyArray<number>>>()
function subsets(count: number): ReadonlyArray<ReadonlyArray<number>> {
  const known =
    knownSubsets.get(count) ??
    span(1, 2 ** count).map((bits) => span(0, count).filter((at) => ((bits >>> at) & 1) === 1))
  knownSubsets.set(count, known)
  return known
}
