import { describeIrregularity, type PgftShape, portInTree, type Topology, wholeShape } from '@cloister/topology'

/** Rules whose placements the auditor can search. */
export type SearchedRule = 'ta' | 'laas' | 'jigsaw-conditions'

/** Largest numbers of pods, of leaves of a pod and of uplinks of a leaf on the trees that the auditor searches. */
const MOST = { pods: 8, leaves: 8, uplinks: 8 }

type Counts = ReadonlyArray<number>

/** Free nodes of a leaf, and its free cables to each L2 index. */
interface Leaf {
  readonly nodes: number
  readonly cables: Counts
  /** True if a job can have the whole leaf: all cables, and as many nodes as cables or all nodes. */
  readonly isWhole: boolean
}

interface Pod {
  readonly nodes: number
  readonly leaves: ReadonlyArray<Leaf>
  readonly wholeLeaves: number
  /** Number of free cables from L2 index i to each spine above this index, at `[i]`. */
  readonly spines: ReadonlyArray<Counts>
}

/**
 * Exhaustive search for the placements that a rule allows on a small regular tree, or under the rule `ta` on a machine
 * with absent parts of such a tree. The search shares no code with the policies: it tries all choices of cables and all
 * sets of pods, and decides the rest by counts.
 */
export class PlacementSearch {
  /** Numbers of comparisons for one set of free nodes and links, and for one size. */
  readonly cost: number
  readonly costOfSize: number
  readonly #topology: Topology
  readonly #shape: PgftShape
  readonly #rule: SearchedRule
  readonly #holdsUplinks: boolean
  readonly #whole: number
  /** Number of parallel cables between a leaf and an L2 switch. */
  readonly #parallel: number
  /** Choices of cables to the L2 indices, by the number of cables. */
  readonly #choices: ReadonlyArray<ReadonlyArray<Counts>>

  /** @param holdsUplinks true if a job on one leaf holds one uplink a node */
  constructor(topology: Topology, rule: SearchedRule, holdsUplinks: boolean) {
    const { levels, pods, leaves, nodes } = topology
    const { m, w, p } = wholeShape(topology)!
    const indices = w[1] ?? 0
    const uplinks = indices * (p[1] ?? 0)
    this.#topology = topology
    this.#shape = { m, w, p }
    this.#rule = rule
    this.#holdsUplinks = holdsUplinks
    this.#whole = Math.min(m[0], uplinks)
    this.#parallel = p[1] ?? 0
    this.#choices = Array.from(Map.groupBy(choicesOf(indices, this.#parallel), sum))
      .sort(([a], [b]) => a - b)
      .map(([, choices]) => choices)
    this.cost = nodes + levels.reduce((all, { links }) => all + links, 0)
    this.costOfSize = 8 * ((leaves << uplinks) + ((leaves / pods) << pods))
  }

  /**
   * Returns a function that returns true if the rule allows a placement of a job of a size on free nodes and links.
   *
   * @param isFree returns true for a free node (level -1) or a free link of a level
   * @param allows returns false if the search would need too many comparisons; then no size fits
   */
  sizesOn(
    isFree: (level: number, id: number) => boolean,
    allows: (comparisons: number) => boolean = () => true,
  ): (size: number) => boolean {
    const pods = this.#podsOf(isFree)
    const known = new Map<number, boolean>()
    return (size) => {
      const before = known.get(size)
      if (before !== undefined) return before
      const fits =
        allows(this.costOfSize) && (this.#rule === 'ta' ? this.#fitsByType(pods, size) : this.#fits(pods, size))
      known.set(size, fits)
      return fits
    }
  }

  #podsOf(isFree: (level: number, id: number) => boolean): ReadonlyArray<Pod> {
    const { pods, levels, firstLeafOfPod, firstL2OfPod, firstNodeOfLeaf } = this.#topology
    /** Free cables to each parent in the whole tree; none above the highest level. */
    const cables = (level: number, sw: number): Counts => {
      const parents = this.#shape.w[level + 1] ?? 0
      const counts = Array<number>(parents).fill(0)
      const { firstPort } = levels[level]
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++)
        if (isFree(level, link)) counts[portInTree(this.#topology, level, link) % parents]++
      return counts
    }
    const leafOf = (leaf: number): Leaf => {
      let nodes = 0
      for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++) if (isFree(-1, node)) nodes++
      const free = cables(0, leaf)
      return { nodes, cables: free, isWhole: nodes >= this.#whole && free.every((each) => each === this.#parallel) }
    }
    return range(0, pods).map((pod) => {
      const leaves = range(firstLeafOfPod[pod], firstLeafOfPod[pod + 1]).map(leafOf)
      const spines = levels.length > 2 ? range(firstL2OfPod[pod], firstL2OfPod[pod + 1]).map((l2) => cables(1, l2)) : []
      const nodes = leaves.reduce((all, leaf) => all + leaf.nodes, 0)
      return { nodes, leaves, wholeLeaves: leaves.filter(({ isWhole }) => isWhole).length, spines }
    })
  }

  /** Jobs of several leaves own all uplinks of their leaves; jobs of several pods own all L2 uplinks of their pods. */
  #fitsByType(pods: ReadonlyArray<Pod>, size: number): boolean {
    const { firstNodeOfLeaf, firstLeafOfPod } = this.#topology
    if (size <= largestOf(firstNodeOfLeaf)) return pods.some(({ leaves }) => leaves.some(({ nodes }) => nodes >= size))
    const open = ({ leaves }: Pod): number =>
      sum(leaves.map(({ nodes, cables }) => (cables.every((each) => each === this.#parallel) ? nodes : 0)))
    if (size <= largestOf(firstLeafOfPod.map((leaf) => firstNodeOfLeaf[leaf])))
      return pods.some((pod) => open(pod) >= size)
    const isOpen = ({ spines }: Pod): boolean => spines.flat().every((each) => each === this.#shape.p[2])
    return sum(pods.filter(isOpen).map(open)) >= size
  }

  #fits(pods: ReadonlyArray<Pod>, size: number): boolean {
    const whole = this.#rule === 'laas' ? Math.ceil(size / this.#whole) * this.#whole : size
    return (
      pods.some(
        ({ nodes, leaves }) => nodes >= size && (this.#fitsOnLeaf(leaves, size) || this.#fitsInPod(leaves, size)),
      ) ||
      (pods.length > 1 && this.#fitsOnWholeLeaves(pods, whole))
    )
  }

  #fitsOnLeaf(leaves: ReadonlyArray<Leaf>, size: number): boolean {
    return leaves.some(({ nodes, cables }) => nodes >= size && (!this.#holdsUplinks || sum(cables) >= size))
  }

  /** Full leaves have `perLeaf` nodes each, on the same cables; a remainder leaf has fewer nodes, on some of these. */
  #fitsInPod(leaves: ReadonlyArray<Leaf>, size: number): boolean {
    for (let perLeaf = 1; perLeaf < Math.min(size, this.#choices.length); perLeaf++) {
      const wanted = Math.floor(size / perLeaf)
      const rest = size % perLeaf
      const holds = ({ nodes, cables }: Leaf, chosen: Counts): boolean =>
        nodes >= perLeaf && chosen.every((each, i) => each <= cables[i])
      for (const chosen of this.#choices[perLeaf]) {
        const full = leaves.filter((leaf) => holds(leaf, chosen)).length
        if (full > wanted || (full === wanted && rest === 0)) return true
        if (full < wanted) continue
        if (
          leaves.some((leaf) => !holds(leaf, chosen) && leaf.nodes >= rest && sum(least([leaf.cables, chosen])) >= rest)
        )
          return true
      }
    }
    return false
  }

  /** Full pods have the same number of whole leaves; a remainder pod has fewer whole leaves, and a remainder leaf. */
  #fitsOnWholeLeaves(pods: ReadonlyArray<Pod>, size: number): boolean {
    if (sum(pods.map(({ wholeLeaves }) => wholeLeaves)) < Math.floor(size / this.#whole)) return false
    const leavesOfPod = pods[0].leaves.length
    for (let perPod = 1; perPod <= leavesOfPod; perPod++) {
      const full = Math.floor(size / (perPod * this.#whole))
      const rest = size % (perPod * this.#whole)
      if (full < 1 || full + Math.sign(rest) < 2) continue
      const candidates = pods.filter(({ wholeLeaves }) => wholeLeaves >= perPod)
      for (const chosen of subsets(candidates, full)) {
        const common = pods[0].spines.map((_, i) => least(chosen.map(({ spines }) => spines[i])))
        if (common.some((each) => sum(each) < perPod * this.#parallel)) continue
        if (rest === 0 || pods.some((pod) => !chosen.includes(pod) && this.#holdsRest(pod, common, rest))) return true
      }
    }
    return false
  }

  /** @param common free cables of all full pods from each L2 index to each spine */
  #holdsRest({ leaves, wholeLeaves, spines }: Pod, common: ReadonlyArray<Counts>, rest: number): boolean {
    const full = Math.floor(rest / this.#whole)
    const left = rest % this.#whole
    /** Cables of each L2 index that the full leaves leave for the remainder leaf. */
    const reach = common.map((each, i) => sum(least([each, spines[i]])) - full * this.#parallel)
    if (reach.some((each) => each < 0) || wholeLeaves < full) return false
    return (
      left === 0 ||
      leaves.some(
        ({ nodes, cables, isWhole }) =>
          nodes >= left && wholeLeaves - (isWhole ? 1 : 0) >= full && sum(least([cables, reach])) >= left,
      )
    )
  }
}

/**
 * Returns the reason why the auditor does not search a tree; undefined if the tree is small and regular. On machines with
 * absent parts, only the rule `ta` fixes all placements of a policy.
 */
export function whyTooLarge(topology: Topology, rule: SearchedRule): string | undefined {
  const { levels, pods } = topology
  const shape = rule === 'ta' ? wholeShape(topology) : topology.pgft
  if (shape === undefined || levels.length > 3)
    return `the auditor searches regular trees of at most three levels: ${shape === undefined ? describeIrregularity(topology) : `the machine has ${levels.length} levels`}`
  const [nodes, perPod = 1] = shape.m
  const uplinks = (shape.w[1] ?? 0) * (shape.p[1] ?? 0)
  if (pods > MOST.pods || perPod > MOST.leaves || uplinks > MOST.uplinks)
    return `the auditor searches trees of at most ${MOST.pods} pods, ${MOST.leaves} leaves a pod and ${MOST.uplinks} uplinks a leaf: the machine has ${pods} pods, ${perPod} leaves a pod and ${uplinks} uplinks a leaf`
  return pods > 1 && uplinks > nodes
    ? `the rules are for leaves with at most one uplink a node: the machine has ${uplinks} uplinks and ${nodes} nodes a leaf`
    : undefined
}

/** Returns the size of the largest group. @param first first member of each group, then the number of all members */
export function largestOf(first: Int32Array): number {
  return first.reduce((most, start, group) => Math.max(most, start - (first[group - 1] ?? 0)), 0)
}

function choicesOf(indices: number, parallel: number): ReadonlyArray<Counts> {
  if (indices === 0) return [[]]
  return choicesOf(indices - 1, parallel).flatMap((first) => range(0, parallel + 1).map((last) => [...first, last]))
}

function* subsets<Each>(all: ReadonlyArray<Each>, size: number, from = 0): Generator<ReadonlyArray<Each>> {
  if (size === 0) yield []
  else
    for (let at = from; at <= all.length - size; at++)
      for (const rest of subsets(all, size - 1, at + 1)) yield [all[at], ...rest]
}

function range(from: number, end: number): ReadonlyArray<number> {
  return Array.from({ length: end - from }, (_, i) => from + i)
}

function sum(counts: Counts): number {
  return counts.reduce((total, each) => total + each, 0)
}

function least(all: ReadonlyArray<Counts>): Counts {
  return all.reduce((a, b) => a.map((each, i) => Math.min(each, b[i])))
}
