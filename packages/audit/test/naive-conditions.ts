import type { Topology } from '@cloister/topology'
import type { Allocation } from './allocations.ts'

/** Number of occurrences of each key. */
type Counts = ReadonlyMap<string, number>

/**
 * Tests the conditions of Jigsaw literally: tries every leaf and pod as the remainder, and compares all numbers with
 * maps. The tests compare JigsawConditions with `keepsConditions`.
 */
export function keepsConditions(
  topology: Topology,
  { nodes, links: [leafLinks, l2Links] }: Allocation,
  { fewestUplinks = false }: { readonly fewestUplinks?: boolean } = {},
): boolean {
  const nodesOf = count(nodes, (node) => `${topology.leafOfNode[node]}`)
  const leaves = [...nodesOf.keys()].map(Number)
  const leafOf = once((link: number) => switchOf(topology, 0, link))
  const l2Of = once((link: number) => switchOf(topology, 1, link))
  if (leaves.length === 1) return leafLinks.length === 0 && l2Links.length === 0
  if (leafLinks.some((link) => !leaves.includes(leafOf(link)))) return false

  const podOf = (leaf: number): number => topology.podOfLeaf[leaf]
  const pods = [...new Set(leaves.map(podOf))]
  /** c: cables from a leaf to each L2 index. */
  const c = once((leaf: number) =>
    count(
      leafLinks.filter((link) => leafOf(link) === leaf),
      (link) => `${topology.levels[0].parentOfLink[link] - topology.firstL2OfPod[podOf(leaf)]}`,
    ),
  )
  /** a: cables from the L2 switch with this index to each spine. */
  const spines = once((l2: number) =>
    count(
      l2Links.filter((link) => l2Of(link) === l2),
      (link) => `${topology.levels[1].parentOfLink[link]}`,
    ),
  )
  const l2sIn = (pod: number): number => topology.firstL2OfPod[pod + 1] - topology.firstL2OfPod[pod]
  const a = (pod: number, index: number): Counts =>
    index < l2sIn(pod) ? spines(topology.firstL2OfPod[pod] + index) : new Map()
  const indices = Array.from({ length: Math.max(...pods.map(l2sIn)) }, (_, i) => i)

  const holdsFor = (remainderLeaf: number | undefined, remainderPod: number | undefined): boolean => {
    const full = leaves.filter((leaf) => leaf !== remainderLeaf)
    if (full.length === 0) return false
    const n = nodesOf.get(`${full[0]}`)!
    const vector = c(full[0])
    if (full.some((leaf) => nodesOf.get(`${leaf}`) !== n || !same(c(leaf), vector))) return false
    const oneFullLeaf = fewestUplinks && pods.length === 1 && full.length === 1 && remainderLeaf !== undefined
    if (total(vector) !== (oneFullLeaf ? nodesOf.get(`${remainderLeaf}`)! : n)) return false
    if (remainderLeaf !== undefined) {
      const r = nodesOf.get(`${remainderLeaf}`)!
      if (r >= n || total(c(remainderLeaf)) !== r || !within(c(remainderLeaf), vector)) return false
    }
    if (pods.length === 1) return l2Links.length === 0
    if (remainderLeaf !== undefined && podOf(remainderLeaf) !== remainderPod) return false
    const fullPods = pods.filter((pod) => pod !== remainderPod)
    if (fullPods.length === 0) return false
    const fullLeavesIn = (pod: number): number => full.filter((leaf) => podOf(leaf) === pod).length
    const perPod = fullLeavesIn(fullPods[0])
    if (fullPods.some((pod) => fullLeavesIn(pod) !== perPod)) return false
    if (remainderPod !== undefined && fullLeavesIn(remainderPod) >= perPod) return false
    if (
      l2Links.some(
        (link) =>
          !pods.some((pod) => l2Of(link) >= topology.firstL2OfPod[pod] && l2Of(link) < topology.firstL2OfPod[pod + 1]),
      )
    )
      return false
    return indices.every((index) => {
      const cables = vector.get(`${index}`) ?? 0
      const reference = a(fullPods[0], index)
      const fromLeaf = remainderLeaf === undefined ? 0 : (c(remainderLeaf).get(`${index}`) ?? 0)
      const fromRemainder = remainderPod === undefined ? 0 : cables * fullLeavesIn(remainderPod) + fromLeaf
      const oneFullPod = fewestUplinks && fullPods.length === 1 && remainderPod !== undefined
      if (total(reference) !== (oneFullPod ? fromRemainder : cables * perPod)) return false
      if (fullPods.some((pod) => !same(a(pod, index), reference))) return false
      if (remainderPod === undefined) return true
      const remainder = a(remainderPod, index)
      return total(remainder) === fromRemainder && within(remainder, reference)
    })
  }
  return [undefined, ...leaves].some((leaf) => [undefined, ...pods].some((pod) => holdsFor(leaf, pod)))
}

/** Returns a function that caches the result for each argument. */
function once<T>(compute: (id: number) => T): (id: number) => T {
  const known = new Map<number, T>()
  return (id) => {
    if (!known.has(id)) known.set(id, compute(id))
    return known.get(id)!
  }
}

function switchOf(topology: Topology, level: number, link: number): number {
  let sw = 0
  while (topology.levels[level].firstPort[sw + 1] <= link) sw++
  return sw
}

function count(ids: ReadonlyArray<number>, key: (id: number) => string): Counts {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(key(id), (counts.get(key(id)) ?? 0) + 1)
  return counts
}

function total(counts: Counts): number {
  return [...counts.values()].reduce((sum, each) => sum + each, 0)
}

function within(counts: Counts, limit: Counts): boolean {
  return [...counts].every(([key, each]) => each <= (limit.get(key) ?? 0))
}

function same(a: Counts, b: Counts): boolean {
  return within(a, b) && within(b, a)
}
