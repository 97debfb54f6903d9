import { type Balanced, bits } from './allocations.ts'

/** Leaves and pods of an allocation in the words of the Jigsaw paper's conditions (3.2.2). */
interface Parts {
  /** Most nodes on a leaf: the number of nodes of a full leaf. */
  readonly perLeaf: number
  /** Set of L2 indices that all full leaves have; undefined if their sets differ. */
  readonly full: number | undefined
  /** Pods of the leaves with fewer nodes, a pod for each leaf. */
  readonly remainderPods: ReadonlyArray<number>
  /** True if each leaf with fewer nodes has only L2 indices of the full leaves. */
  readonly isNested: boolean
  /** Number of full leaves of each pod. */
  readonly fullLeaves: ReadonlyArray<number>
}

function partsOf({ pods, leaves }: Balanced): Parts {
  const perLeaf = Math.max(...leaves.map(bits))
  const full = leaves.filter((leaf) => bits(leaf) === perLeaf)
  const fullLeaves = Array.from({ length: Math.max(...pods) + 1 }, () => 0)
  leaves.forEach((leaf, at) => {
    if (bits(leaf) === perLeaf) fullLeaves[pods[at]]++
  })
  return {
    perLeaf,
    full: full.every((leaf) => leaf === full[0]) ? full[0] : undefined,
    remainderPods: pods.filter((_, at) => bits(leaves[at]) < perLeaf),
    isNested: leaves.every((leaf) => bits(leaf) === perLeaf || (leaf & ~full[0]) === 0),
    fullLeaves,
  }
}

/** Returns true if a balanced allocation meets conditions (1) to (6) of the Jigsaw paper, section 3.2.2. */
export function meetsConditions(allocation: Balanced): boolean {
  const { full, remainderPods, isNested, fullLeaves } = partsOf(allocation)
  if (full === undefined || !isNested || remainderPods.length > 1) return false
  const most = Math.max(...fullLeaves)
  const smaller = fullLeaves.flatMap((count, pod) => (count < most ? [pod] : []))
  if (smaller.length > 1 || remainderPods.some((pod) => fullLeaves.length > 1 && pod !== smaller[0])) return false
  return allocation.spines.every((ofPods) => {
    const larger = ofPods.filter((_, pod) => pod !== smaller[0])
    return larger.every((set) => set === larger[0]) && smaller.every((pod) => (ofPods[pod] & ~larger[0]) === 0)
  })
}

/**
 * Returns true if a balanced allocation has full bandwidth, but breaks the condition that the remainder leaf is in the
 * pod with fewer full leaves: a job in two pods with the remainder leaf in the pod that has at least as many full leaves
 * as the other pod. For each L2 index, the other pod's spines are a part of the spines of the pod with the remainder
 * leaf.
 */
export function isInFamily(allocation: Balanced): boolean {
  const { full, remainderPods, isNested, fullLeaves } = partsOf(allocation)
  if (fullLeaves.length !== 2 || full === undefined || !isNested || remainderPods.length !== 1) return false
  const [withLeaf] = remainderPods
  const other = 1 - withLeaf
  return (
    fullLeaves[other] > 0 &&
    fullLeaves[other] <= fullLeaves[withLeaf] &&
    allocation.spines.every((ofPods) => (ofPods[other] & ~ofPods[withLeaf]) === 0)
  )
}
