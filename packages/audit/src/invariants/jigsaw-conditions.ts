import { type Breach, broken, mostNodes, type Shape, shapeOf, type UsedLeaf } from './allocation-shape.ts'
import { type SwitchLevel, switchInTree, type Topology, wholeShape } from '@cloister/topology'
import { lowerBound } from '../cluster/job-lists.ts'

/**
 * Tests the conditions of the Jigsaw paper (HPDC'21, section 3.2.2): an allocation of owned links that keeps all
 * conditions is isolated and has full bandwidth. The conditions count cables, and so cover parallel cables and tapered
 * trees. For an allocation, c_i is the number of its cables from a leaf to L2 index i, and a_ij the number of its
 * cables from L2 index i to spine j above this index. The number of each condition in the Jigsaw paper is in
 * parentheses.
 *
 * - An allocation on one leaf has any nodes, and no links. With `leafJobsHoldUplinks`, an allocation on one leaf
 *   has one uplink a node.
 * - On several leaves, every leaf has as many uplinks as nodes. All leaves have the same number of nodes (3) and the
 *   same c, within a pod (4) and across pods (5). The exception is one remainder leaf with fewer nodes and with c^r <=
 *   c (4).
 * - An allocation in one pod has no links above the L2 switches.
 * - In several pods, all pods have the same number of full leaves, except one remainder pod with fewer full leaves (1).
 *   A remainder leaf is in the remainder pod (2). Every L2 switch has as many uplinks as cables to the job's leaves. L2
 *   index i has the same a_i in all full pods, and a^r_i <= a_i in the remainder pod (6).
 *
 * With `fewestUplinks`, two kinds of allocations have fewer uplinks. If a single full leaf in one pod has a remainder leaf
 * beside it, both leaves have as many uplinks as the remainder leaf has nodes. If a single full pod has a remainder pod
 * beside it, each L2 switch of the full pod has as many uplinks as the L2 switch of the same index in the remainder pod.
 * Full bandwidth remains: no more flows can leave the full leaf or pod at once than the remainder sends or receives.
 *
 * The conditions cover three levels of switches. An allocation whose nodes need a fourth level breaks condition (6),
 * because its pods share no spines. The conditions do not demand whole leaves across pods, unlike Jigsaw's search.
 */
export class JigsawConditions {
  readonly #topology: Topology
  readonly #leafJobsHoldUplinks: boolean
  readonly #fewestUplinks: boolean
  /** Leaf of each leaf uplink. `#l2OfLink`: L2 switch of each L2 uplink. */
  readonly #leafOfLink: Int32Array
  readonly #l2OfLink: Int32Array
  readonly #podOfL2: Int32Array
  /** L2 index of each L2 switch: its place in the pod, in the whole tree of a machine with absent parts. */
  readonly #indexOfL2: Int32Array
  // Counters of one call of `breach`, all zero between calls.
  readonly #cables: Int32Array
  readonly #cablesOfReference: Int32Array
  readonly #downlinks: Int32Array
  readonly #uplinks: Int32Array
  readonly #cablesToSpine: Int32Array
  /** For each L2 index of a full pod: index of the first uplink there in the job's L2 uplinks; at last, the end. */
  readonly #firstCable: Int32Array

  constructor(
    topology: Topology,
    options: { readonly leafJobsHoldUplinks?: boolean; readonly fewestUplinks?: boolean } = {},
  ) {
    this.#topology = topology
    this.#leafJobsHoldUplinks = options.leafJobsHoldUplinks === true
    this.#fewestUplinks = options.fewestUplinks === true
    this.#leafOfLink = lowerSwitches(topology.levels[0])
    const [, l2s, spines] = topology.levels
    this.#l2OfLink = l2s === undefined ? new Int32Array(0) : lowerSwitches(l2s)
    this.#podOfL2 = new Int32Array(l2s?.switches ?? 0)
    this.#indexOfL2 = new Int32Array(l2s?.switches ?? 0)
    const shape = wholeShape(topology)
    let widest = 0
    for (let pod = 0; pod < topology.pods; pod++) {
      const first = topology.firstL2OfPod[pod]
      const end = topology.firstL2OfPod[pod + 1]
      this.#podOfL2.fill(pod, first, end)
      for (let l2 = first; l2 < end; l2++) {
        this.#indexOfL2[l2] = shape === undefined ? l2 - first : switchInTree(topology, 1, l2) % shape.w[1]
        widest = Math.max(widest, this.#indexOfL2[l2] + 1)
      }
    }
    this.#cables = new Int32Array(widest)
    this.#cablesOfReference = new Int32Array(widest)
    this.#firstCable = new Int32Array(widest + 1)
    this.#downlinks = new Int32Array(l2s?.switches ?? 0)
    this.#uplinks = new Int32Array(l2s?.switches ?? 0)
    this.#cablesToSpine = new Int32Array(spines?.switches ?? 0)
  }

  /**
   * Returns the first condition that an allocation breaks; undefined if the allocation keeps all conditions.
   *
   * @param nodes ascending node ids of the topology, at least one
   * @param links ascending link ids of the topology, one list a level: leaf uplinks, L2 uplinks, …
   */
  breach(nodes: ArrayLike<number>, links: ReadonlyArray<ArrayLike<number>>): Breach | undefined {
    const leafLinks = links[0] ?? []
    const l2Links = links[1] ?? []
    for (let level = 2; level < links.length; level++) {
      if (links[level].length > 0)
        return broken('balance', `the allocation has links of level ${level}, above the spines`)
    }
    const leaves = this.#usedLeaves(nodes, leafLinks)
    if ('condition' in leaves) return leaves
    if (leaves.length === 1) return this.#breachOnOneLeaf(leaves[0], l2Links.length)
    return this.#breachOfLeaves(leaves) ?? this.#breachOfShape(leaves, leafLinks, l2Links)
  }

  /** Returns the leaves with nodes of the allocation; a breach if an uplink belongs to any other leaf. */
  #usedLeaves(nodes: ArrayLike<number>, leafLinks: ArrayLike<number>): ReadonlyArray<UsedLeaf> | Breach {
    const { leafOfNode, podOfLeaf } = this.#topology
    const leaves: Array<UsedLeaf> = []
    let link = 0
    for (let i = 0; i < nodes.length;) {
      const leaf = leafOfNode[nodes[i]]
      const firstNode = i
      while (i < nodes.length && leafOfNode[nodes[i]] === leaf) i++
      const firstLink = link
      while (link < leafLinks.length && this.#leafOfLink[leafLinks[link]] <= leaf) link++
      if (link > firstLink && this.#leafOfLink[leafLinks[firstLink]] < leaf)
        return this.#strayUplink(leafLinks[firstLink])
      leaves.push({ leaf, pod: podOfLeaf[leaf], nodes: i - firstNode, firstLink, endLink: link })
    }
    return link < leafLinks.length ? this.#strayUplink(leafLinks[link]) : leaves
  }

  #strayUplink(link: number): Breach {
    return broken(
      'balance',
      `the allocation has leaf uplink ${link} of leaf ${this.#leafOfLink[link]}, but no node on this leaf`,
    )
  }

  #breachOnOneLeaf({ leaf, nodes, firstLink, endLink }: UsedLeaf, l2Links: number): Breach | undefined {
    const uplinks = endLink - firstLink
    const expected = this.#leafJobsHoldUplinks ? nodes : 0
    if (l2Links > 0)
      return broken('one-leaf', `the allocation has ${l2Links} L2 uplinks, but all its nodes are on leaf ${leaf}`)
    if (uplinks !== expected)
      return broken(
        'one-leaf',
        `the allocation has ${nodes} nodes, all on leaf ${leaf}, and ${uplinks} uplinks; expected ${expected} uplinks`,
      )
    return undefined
  }

  #breachOfLeaves(leaves: ReadonlyArray<UsedLeaf>): Breach | undefined {
    const full = mostNodes(leaves)
    const smaller = leaves.filter((each) => each.nodes < full)
    if (smaller.length > 1) {
      const [a, b] = smaller
      return broken(
        '3',
        `the allocation has ${full} nodes on a leaf, but ${a.nodes} on leaf ${a.leaf} and ${b.nodes} on leaf ${b.leaf}; only one leaf may have fewer`,
      )
    }
    const isNarrow = this.#fewestUplinks && leaves.length === 2 && leaves[0].pod === leaves[1].pod
    const most = isNarrow ? Math.min(...leaves.map(({ nodes }) => nodes)) : full
    for (const { leaf, nodes, firstLink, endLink } of leaves) {
      const uplinks = endLink - firstLink
      const expected = Math.min(nodes, most)
      if (uplinks !== expected)
        return broken(
          'balance',
          `the allocation has ${nodes} nodes and ${uplinks} uplinks on leaf ${leaf}; expected ${expected === nodes ? 'as many uplinks as nodes' : `${expected} uplinks, as on the smaller leaf`}`,
        )
    }
    return undefined
  }

  #breachOfShape(
    leaves: ReadonlyArray<UsedLeaf>,
    leafLinks: ArrayLike<number>,
    l2Links: ArrayLike<number>,
  ): Breach | undefined {
    const shape = shapeOf(leaves)
    if ('condition' in shape) return shape
    return this.#breachOfCables(shape, leafLinks) ?? this.#breachAboveLeaves(shape, leafLinks, l2Links)
  }

  /** A full leaf with no more cables to any L2 index than the first full leaf has the same: both have equally many. */
  #breachOfCables({ leaves, leafNodes }: Shape, leafLinks: ArrayLike<number>): Breach | undefined {
    const reference = leaves.find((each) => each.nodes === leafNodes)!
    const allowed = this.#cablesOfReference
    this.#addCables(reference, leafLinks, allowed, 1)
    let breach: Breach | undefined
    for (const each of leaves) {
      const index = this.#firstBeyond(each, leafLinks)
      if (index < 0) continue
      const condition = each.pod === reference.pod || each.nodes < leafNodes ? '4' : '5'
      const limit =
        each.nodes < leafNodes
          ? `at most ${allowed[index]} as on the full leaves`
          : `${allowed[index]} as on leaf ${reference.leaf}`
      breach = broken(
        condition,
        `the allocation has too many cables from leaf ${each.leaf} to L2 index ${index}; expected ${limit}`,
      )
      break
    }
    this.#addCables(reference, leafLinks, allowed, -1)
    return breach
  }

  /** Returns the first L2 index to which a leaf has more cables than `#cablesOfReference` has; -1 if there is none. */
  #firstBeyond(leaf: UsedLeaf, leafLinks: ArrayLike<number>): number {
    const cables = this.#cables
    const allowed = this.#cablesOfReference
    const { parentOfLink } = this.#topology.levels[0]
    this.#addCables(leaf, leafLinks, cables, 1)
    let beyond = -1
    for (let at = leaf.firstLink; at < leaf.endLink; at++) {
      const index = this.#indexOfL2[parentOfLink[leafLinks[at]]]
      if (cables[index] > allowed[index]) {
        beyond = index
        break
      }
    }
    this.#addCables(leaf, leafLinks, cables, -1)
    return beyond
  }

  #addCables(leaf: UsedLeaf, leafLinks: ArrayLike<number>, cables: Int32Array, count: 1 | -1): void {
    const { parentOfLink } = this.#topology.levels[0]
    for (let at = leaf.firstLink; at < leaf.endLink; at++) cables[this.#indexOfL2[parentOfLink[leafLinks[at]]]] += count
  }

  #breachAboveLeaves(shape: Shape, leafLinks: ArrayLike<number>, l2Links: ArrayLike<number>): Breach | undefined {
    if (shape.pods.length === 1) {
      if (l2Links.length === 0) return undefined
      return broken(
        'balance',
        `the allocation has ${l2Links.length} L2 uplinks, but all its nodes are in pod ${shape.pods[0]}`,
      )
    }
    return this.#breachOfL2Balance(shape, leafLinks, l2Links) ?? this.#breachOfSpines(shape, l2Links)
  }

  #breachOfL2Balance(
    { pods, remainderPod }: Shape,
    leafLinks: ArrayLike<number>,
    l2Links: ArrayLike<number>,
  ): Breach | undefined {
    const { parentOfLink } = this.#topology.levels[0]
    const down = this.#downlinks
    const up = this.#uplinks
    for (let i = 0; i < leafLinks.length; i++) down[parentOfLink[leafLinks[i]]]++
    for (let i = 0; i < l2Links.length; i++) up[this.#l2OfLink[l2Links[i]]]++
    const narrow = this.#fewestUplinks && pods.length === 2 && remainderPod !== undefined
    const fullPod = narrow ? pods.find((pod) => pod !== remainderPod) : undefined
    let breach: Breach | undefined
    const compare = (l2: number): void => {
      const expected = this.#podOfL2[l2] === fullPod ? this.#downlinksInPod(remainderPod!, l2) : down[l2]
      if (expected !== up[l2])
        breach ??= broken(
          'balance',
          `the allocation has ${down[l2]} cables down and ${up[l2]} cables up at L2 switch ${l2}; expected ${expected === down[l2] ? 'equal numbers' : `${expected} cables up, as in pod ${remainderPod}`}`,
        )
    }
    for (let i = 0; i < leafLinks.length; i++) compare(parentOfLink[leafLinks[i]])
    for (let i = 0; i < l2Links.length; i++) compare(this.#l2OfLink[l2Links[i]])
    for (let i = 0; i < leafLinks.length; i++) down[parentOfLink[leafLinks[i]]] = 0
    for (let i = 0; i < l2Links.length; i++) up[this.#l2OfLink[l2Links[i]]] = 0
    return breach
  }

  /** Returns the downlinks that a pod has at the L2 switch with the index that another pod's L2 switch `l2` has. */
  #downlinksInPod(pod: number, l2: number): number {
    const { firstL2OfPod } = this.#topology
    for (let same = firstL2OfPod[pod]; same < firstL2OfPod[pod + 1]; same++)
      if (this.#indexOfL2[same] === this.#indexOfL2[l2]) return this.#downlinks[same]
    return 0
  }

  /** A full pod with no more cables to any spine than the first full pod has the same, as both have equally many. */
  #breachOfSpines({ pods, remainderPod }: Shape, l2Links: ArrayLike<number>): Breach | undefined {
    const reference = pods.find((pod) => pod !== remainderPod)!
    const l2OfLink = this.#l2OfLink
    this.#findFirstCables(reference, l2Links)
    for (let start = 0, end = 0; start < l2Links.length; start = end) {
      const l2 = l2OfLink[l2Links[start]]
      while (end < l2Links.length && l2OfLink[l2Links[end]] === l2) end++
      const pod = this.#podOfL2[l2]
      const index = this.#indexOfL2[l2]
      const spine = this.#firstSpineBeyond(l2Links, start, end, index)
      if (spine < 0) continue
      const limit = pod === remainderPod ? 'as many as in the full pods' : `as many as in pod ${reference}`
      return broken(
        '6',
        `the allocation has too many cables from L2 index ${index} of pod ${pod} to spine ${spine}; expected at most ${limit}`,
      )
    }
    return undefined
  }

  #findFirstCables(pod: number, l2Links: ArrayLike<number>): void {
    const { firstL2OfPod, levels } = this.#topology
    const { firstPort } = levels[1]
    let l2 = firstL2OfPod[pod]
    let at = firstAtLeast(l2Links, firstPort[l2])
    for (let index = 0; index < this.#firstCable.length; index++) {
      while (l2 < firstL2OfPod[pod + 1] && this.#indexOfL2[l2] < index) l2++
      while (at < l2Links.length && l2Links[at] < firstPort[l2]) at++
      this.#firstCable[index] = at
    }
  }

  /** Returns the first spine with more cables among `start` to `end` - 1 than from the reference pod; else -1. */
  #firstSpineBeyond(l2Links: ArrayLike<number>, start: number, end: number, index: number): number {
    const { parentOfLink } = this.#topology.levels[1]
    const allowed = this.#cablesToSpine
    const [from, to] = [this.#firstCable[index], this.#firstCable[index + 1]]
    for (let at = from; at < to; at++) allowed[parentOfLink[l2Links[at]]]++
    let beyond = -1
    for (let at = start; at < end; at++) {
      if (--allowed[parentOfLink[l2Links[at]]] < 0 && beyond < 0) beyond = parentOfLink[l2Links[at]]
    }
    for (let at = from; at < to; at++) allowed[parentOfLink[l2Links[at]]] = 0
    for (let at = start; at < end; at++) allowed[parentOfLink[l2Links[at]]] = 0
    return beyond
  }
}

function lowerSwitches(level: SwitchLevel): Int32Array {
  const switches = new Int32Array(level.links)
  for (let sw = 0; sw < level.switches; sw++) switches.fill(sw, level.firstPort[sw], level.firstPort[sw + 1])
  return switches
}

function firstAtLeast(ids: ArrayLike<number>, bound: number): number {
  return lowerBound(ids.length, (at) => ids[at] < bound)
}
