import { addLowest, count, countCommon, type FreeIndex, intersect, type TreeShape } from '@cloister/isolation'
import { type Found, type LeafPart, nestedSizes, type SpinePart } from './found.ts'
import type { Lifetimes } from './lifetimes.ts'

/** Number of pods that one depth-first search may try, in addition to the number of pods of the machine. */
const BUDGET = 40
/** Score of each spare spine link of a row of pods. Each pod of the row has a score of 1. */
const SPARE = 0.3

/** Row of pods that together give the whole leaves of a job. `leaves` has the number of whole leaves of each pod. */
interface Row {
  readonly score: number
  readonly pods: ReadonlyArray<number>
  readonly leaves: ReadonlyArray<number>
  /** Remainder leaf; -1 if the job has no remainder. Its pod may be the last pod of the row, without whole leaves. */
  readonly remainderLeaf: number
  /** Mask of the uplink slots of the remainder leaf. */
  readonly remainderUplinks: Int32Array
}

interface Remainder {
  readonly leaf: number
  readonly uplinks: Int32Array
}

const NO_REMAINDER: Remainder = { leaf: -1, uplinks: new Int32Array(0) }

/**
 * Search for whole leaves in several pods and a remainder leaf. Above each L2 index, a row of pods owns nested sets of
 * spines. The first pods of a row are full pods. All full pods share the spines for `#most` whole leaves
 * above each L2 index, although some of these pods may give fewer whole leaves. A tail of pods follows, and each pod of the tail needs fewer
 * spines. A row can also begin with a single big pod, which needs no more spines than all other pods together.
 */
export class SeveralPods {
  readonly #tree: TreeShape
  readonly #lifetimes: Lifetimes
  readonly #areNested: boolean
  #index!: FreeIndex
  #remainder = 0
  readonly #whole: Int32Array
  /** Number of leaves whose flows the free spine links of each pod can carry; 0 for a pod without whole leaves. */
  readonly #carried: Int32Array
  readonly #order: Int32Array
  readonly #used: Uint8Array
  /** Pods of the row so far. `#leaves` has the number of whole leaves that each of these pods gives. */
  readonly #pods: Int32Array
  readonly #leaves: Int32Array
  /** Masks, by L2 index, of the free spine slots that the row's first `d` pods have in common, in row `d`. */
  readonly #common: Int32Array
  readonly #rowWords: number
  /** Mask of the uplink slots that the row allows the remainder leaf in a pod. */
  readonly #allowed: Int32Array
  /** Mask of `#allowed` for all pods behind the row, before the test of the spines of a pod. */
  readonly #behindRow: Int32Array
  /** Mask of the free slots of a leaf that are in `#allowed`. */
  readonly #ofLeaf: Int32Array
  readonly #flows: Int32Array
  readonly #sizes: Int32Array
  #most = 0
  #left = 0
  #best: Row | undefined

  /** @param areNested false if all pods except one must give equal numbers of leaves (without nested sets) */
  constructor(tree: TreeShape, lifetimes: Lifetimes, areNested: boolean) {
    const { pods } = tree
    this.#tree = tree
    this.#lifetimes = lifetimes
    this.#areNested = areNested
    this.#whole = new Int32Array(pods)
    this.#carried = new Int32Array(pods)
    this.#order = new Int32Array(pods)
    this.#used = new Uint8Array(pods)
    this.#pods = new Int32Array(pods + 1)
    this.#leaves = new Int32Array(pods + 1)
    this.#rowWords = tree.l2PerPod * tree.l2Words
    this.#common = new Int32Array((pods + 1) * this.#rowWords).fill(-1)
    this.#allowed = new Int32Array(tree.leafWords)
    this.#behindRow = new Int32Array(tree.leafWords)
    this.#ofLeaf = new Int32Array(tree.leafWords)
    this.#flows = new Int32Array(pods + 1)
    this.#sizes = new Int32Array(pods + 1)
  }

  find(index: FreeIndex, nodes: number): Found | undefined {
    const { pods, nodesPerLeaf } = this.#tree
    const wanted = Math.floor(nodes / nodesPerLeaf)
    let whole = 0
    for (let pod = 0, all = nodesPerLeaf; pod < pods; pod++, all += nodesPerLeaf + 1)
      whole += this.#whole[pod] = index.leavesUsable[all]
    if (wanted === 0 || whole < wanted) return undefined
    this.#index = index
    let usable = 0
    for (let pod = 0; pod < pods; pod++) {
      this.#carried[pod] = this.#whole[pod] === 0 ? 0 : this.#leavesCarried(pod)
      usable += this.#usable(pod)
    }
    this.#remainder = nodes % nodesPerLeaf
    this.#best = undefined
    this.#used.fill(0)
    if (this.#areNested) this.#tryBigPods(wanted, usable)
    const most = this.#whole.reduce((a, b) => Math.max(a, b), 0)
    for (this.#most = Math.min(most, wanted); this.#most > 0 && this.#canBeBetter(wanted); this.#most--) {
      this.#sortPods()
      this.#left = BUDGET + pods
      this.#pickFull(0, 0, wanted)
    }
    return this.#best === undefined ? undefined : this.#found(this.#best)
  }

  #leavesCarried(pod: number): number {
    const { l2Ports, l2Words, leafCables } = this.#tree
    let fewest = l2Ports
    for (let at = pod * this.#rowWords; at < (pod + 1) * this.#rowWords && fewest > 0; at += l2Words)
      fewest = Math.min(fewest, count(this.#index.l2Slots, at, l2Words))
    return Math.floor(fewest / leafCables)
  }

  /** Number of whole leaves that a pod can give if the pod is not the big pod. */
  #usable(pod: number): number {
    return Math.min(this.#whole[pod], this.#carried[pod])
  }

  /** Returns true if the pods have `wanted` leaves at `#most` a pod, and a row may score lower than the best row. */
  #canBeBetter(wanted: number): boolean {
    let leaves = 0
    for (let pod = 0; pod < this.#tree.pods; pod++) leaves += Math.min(this.#usable(pod), this.#most)
    return leaves >= wanted && Math.ceil(wanted / this.#most) < (this.#best?.score ?? Infinity)
  }

  #tryBigPods(wanted: number, usable: number): void {
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      const leaves = Math.min(this.#whole[pod], wanted)
      this.#most = wanted - leaves
      if (leaves === 0 || this.#most > leaves || this.#most + this.#remainder === 0) continue
      if (this.#most > usable - this.#usable(pod) || this.#most > this.#carried[pod]) continue
      if (!this.#append(0, pod, leaves, this.#most)) continue
      this.#addTail(1, this.#most)
      this.#used[pod] = 0
    }
  }

  /** Sorts `#order`: pods that can give more leaves first; among equal pods, the pods with fewer whole leaves first. */
  #sortPods(): void {
    const isBefore = (a: number, b: number): boolean => {
      const more = Math.min(this.#whole[a], this.#most) - Math.min(this.#whole[b], this.#most)
      return more !== 0 ? more > 0 : this.#whole[a] < this.#whole[b]
    }
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      let at = pod
      for (; at > 0 && isBefore(pod, this.#order[at - 1]); at--) this.#order[at] = this.#order[at - 1]
      this.#order[at] = pod
    }
  }

  /** Adds full pods to the row by a depth-first search. Returns true if a row is found, or if no tries are left. */
  #pickFull(depth: number, from: number, wanted: number): boolean {
    if (wanted < this.#most && depth > 0 && this.#addTail(depth, wanted)) return true
    for (let at = from; at < this.#tree.pods; at++) {
      const pod = this.#order[at]
      const leaves = Math.min(this.#whole[pod], this.#most, wanted)
      if (leaves === 0 || (!this.#areNested && leaves < Math.min(this.#most, wanted))) return false
      if (this.#left-- === 0) return true
      if (!this.#append(depth, pod, leaves, this.#most)) continue
      const isDone = wanted === leaves ? this.#complete(depth + 1) : this.#pickFull(depth + 1, at + 1, wanted - leaves)
      this.#used[pod] = 0
      if (isDone || this.#left < 0) return true
    }
    return false
  }

  /**
   * Adds a pod behind the first `depth` pods of the row. Returns false if these pods share too few spines for the flows
   * of `carried` leaves.
   */
  #append(depth: number, pod: number, leaves: number, carried: number): boolean {
    if (this.#carried[pod] < carried) return false
    const { l2Words, leafCables } = this.#tree
    const { l2Slots } = this.#index
    const needed = carried * leafCables
    const own = pod * this.#rowWords
    const above = depth * this.#rowWords
    const here = above + this.#rowWords
    for (let at = 0; at < this.#rowWords; at += l2Words)
      if (intersect(this.#common, above + at, l2Slots, own + at, l2Words, this.#common, here + at) < needed)
        return false
    this.#pods[depth] = pod
    this.#leaves[depth] = leaves
    this.#used[pod] = 1
    return true
  }

  /**
   * Adds the tail of the row: each time the pod that can give the most of the leaves still wanted, if the pod shares a
   * spine for each leaf still wanted (at most as many spines as a full pod).
   */
  #addTail(from: number, wanted: number): boolean {
    let depth = from
    let left = wanted
    while (left > 0 && this.#appendLargest(depth, left)) left -= this.#leaves[depth++]
    const isDone = left === 0 && this.#complete(depth)
    for (let j = from; j < depth; j++) this.#used[this.#pods[j]] = 0
    return isDone
  }

  #appendLargest(depth: number, left: number): boolean {
    let best = -1
    let give = 0
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      const leaves = Math.min(this.#whole[pod], left, this.#most)
      if (this.#used[pod] === 1 || leaves === 0 || leaves < give || (!this.#areNested && leaves < left)) continue
      if (leaves === give && this.#whole[pod] >= this.#whole[best]) continue
      if (!this.#append(depth, pod, leaves, Math.min(this.#most, left))) continue
      this.#used[pod] = 0
      best = pod
      give = leaves
    }
    return best >= 0 && this.#append(depth, best, give, Math.min(this.#most, left))
  }

  /** Searches a remainder leaf for a row with all whole leaves. Returns false if no leaf can be the remainder leaf. */
  #complete(count: number): boolean {
    nestedSizes(this.#leaves, count, this.#sizes)
    let spare = 0
    for (let j = 0; j < count; j++) spare += Math.max(0, this.#sizes[j] - this.#leaves[j])
    const isBetter = (length: number): boolean => this.#best === undefined || length + SPARE * spare < this.#best.score
    const remainder = this.#remainder === 0 ? NO_REMAINDER : this.#findRemainder(count, isBetter(count))
    if (remainder === undefined) return false
    const pods = Array.from(this.#pods.subarray(0, count))
    const pod = Math.floor(remainder.leaf / this.#tree.leavesPerPod)
    if (remainder.leaf >= 0 && !pods.includes(pod)) pods.push(pod)
    if (!isBetter(pods.length)) return true
    const leaves = pods.map((_, j) => (j < count ? this.#leaves[j] : 0))
    const score = pods.length + SPARE * spare
    this.#best = { score, pods, leaves, remainderLeaf: remainder.leaf, remainderUplinks: remainder.uplinks }
    return true
  }

  /**
   * Returns the cheapest remainder leaf: with enough nodes, and uplinks to L2 indices at which the row can carry a
   * flow.
   *
   * @param isBetter false if any remainder leaf will do, because the row is no better than the best row
   */
  #findRemainder(count: number, isBetter: boolean): Remainder | undefined {
    const { pods, leavesPerPod, nodesPerLeaf, leafWords } = this.#tree
    const { usable, leavesUsable, leafSlots } = this.#index
    let best: Remainder | undefined
    let least = Infinity
    let isBehindKnown = false
    // Without nested sets, the remainder leaf is in the last pod if this pod gives fewer leaves than the first, else in
    // a new pod.
    const remainderPod = this.#leaves[count - 1] < this.#leaves[0] ? count - 1 : -1
    for (let pod = 0; pod < pods; pod++) {
      const able = leavesUsable[pod * (nodesPerLeaf + 1) + this.#remainder]
      const at = able === 0 ? -1 : this.#placeInRow(pod, count)
      // A whole leaf cannot be the remainder leaf if the row takes all whole leaves of the pod.
      const areWholeTaken = at >= 0 && this.#whole[pod] === this.#leaves[at]
      if (able === (areWholeTaken ? this.#whole[pod] : 0) || (!this.#areNested && at !== remainderPod)) continue
      if (at >= 0) this.#markCarried(count, at, this.#allowed)
      else {
        if (!isBehindKnown) this.#markCarried(count, count, this.#behindRow)
        isBehindKnown = true
        this.#allowBehind(count, pod)
      }
      for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
        if (usable[leaf] < this.#remainder || (areWholeTaken && usable[leaf] === nodesPerLeaf)) continue
        const slots = leaf * leafWords
        if (intersect(this.#allowed, 0, leafSlots, slots, leafWords, this.#ofLeaf, 0) < this.#remainder) continue
        const cost = this.#lifetimes.cost(leaf, this.#remainder)
        if (cost >= least) continue
        least = cost
        best = { leaf, uplinks: new Int32Array(leafWords) }
        addLowest(this.#ofLeaf, 0, best.uplinks, 0, leafWords, this.#remainder)
        if (!isBetter) return best
      }
    }
    return best
  }

  #placeInRow(pod: number, count: number): number {
    for (let j = 0; j < count; j++) if (this.#pods[j] === pod) return j
    return -1
  }

  /**
   * Marks the uplink slots of a pod for whose flows the row has spines: slot `b + k * l2PerPod` if the pods of the row
   * can carry k + 1 more flows of the pod over the L2 index b.
   *
   * @param at index of the pod in the row; `count` for a pod behind the row, whose own spines are not tested
   */
  #markCarried(count: number, at: number, into: Int32Array): void {
    const { l2PerPod, leafCables } = this.#tree
    for (let j = 0; j <= count; j++) this.#flows[j] = j < count ? this.#leaves[j] * leafCables : 0
    into.fill(0)
    for (let first = 0; first < l2PerPod * leafCables; first += l2PerPod) {
      this.#flows[at]++
      nestedSizes(this.#flows, count + 1, this.#sizes)
      for (let i = 0; i < l2PerPod; i++)
        if (this.#hasSpines(count, i)) into[(first + i) >>> 5] |= 1 << ((first + i) & 31)
    }
  }

  /** Returns true if the first `length` pods of the row share as many spines above L2 index i as `#sizes` has. */
  #hasSpines(length: number, i: number): boolean {
    const { l2Words } = this.#tree
    for (let j = 0; j < length; j++)
      if (count(this.#common, (j + 1) * this.#rowWords + i * l2Words, l2Words) < this.#sizes[j]) return false
    return true
  }

  /**
   * Marks in `#allowed` the slots of `#behindRow` for whose flows a pod behind the row shares spines with the row: k + 1
   * spines for k + 1 flows.
   */
  #allowBehind(length: number, pod: number): void {
    const { l2PerPod, leafPorts, l2Words } = this.#tree
    const common = length * this.#rowWords
    const own = pod * this.#rowWords
    this.#allowed.fill(0)
    for (let i = 0; i < l2PerPod; i++) {
      let left = countCommon(this.#common, common + i * l2Words, this.#index.l2Slots, own + i * l2Words, l2Words)
      for (let slot = i; slot < leafPorts && left > 0; slot += l2PerPod, left--)
        this.#allowed[slot >>> 5] |= this.#behindRow[slot >>> 5] & (1 << (slot & 31))
    }
  }

  #found({ score, pods, leaves, remainderLeaf, remainderUplinks }: Row): Found {
    const { nodesPerLeaf, leafWords, leavesPerPod } = this.#tree
    const parts: Array<LeafPart> = pods.flatMap((pod, j) =>
      this.#cheapestWhole(pod, leaves[j], remainderLeaf).map((leaf) => ({
        leaf,
        nodes: nodesPerLeaf,
        uplinks: this.#index.leafSlots.subarray(leaf * leafWords, (leaf + 1) * leafWords),
      })),
    )
    if (remainderLeaf >= 0) parts.push({ leaf: remainderLeaf, nodes: this.#remainder, uplinks: remainderUplinks })
    const more = pods.indexOf(Math.floor(remainderLeaf / leavesPerPod))
    return { score, leaves: parts, spines: this.#chooseSpines(pods, leaves, more, remainderUplinks) }
  }

  #cheapestWhole(pod: number, count: number, besides: number): ReadonlyArray<number> {
    const { leavesPerPod, nodesPerLeaf } = this.#tree
    const whole: Array<number> = []
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++)
      if (leaf !== besides && this.#index.usable[leaf] === nodesPerLeaf) whole.push(leaf)
    if (whole.length === count) return whole
    const cost = new Map(whole.map((leaf) => [leaf, this.#lifetimes.cost(leaf, nodesPerLeaf)]))
    return whole.sort((a, b) => cost.get(a)! - cost.get(b)!).slice(0, count)
  }

  /**
   * Chooses nested sets of spines above every L2 index: from the last pod to the first, a set gets the lowest spines
   * shared with earlier pods.
   *
   * @param more index of the pod of the remainder leaf; -1 without remainder leaf
   */
  #chooseSpines(
    pods: ReadonlyArray<number>,
    leaves: ReadonlyArray<number>,
    more: number,
    remainderUplinks: Int32Array,
  ): ReadonlyArray<SpinePart> {
    const { l2PerPod, l2Words, leafCables } = this.#tree
    const row = this.#rowWords
    const parts = pods.map((pod) => ({ pod, spines: new Int32Array(row) }))
    pods.forEach((pod, j) =>
      intersect(this.#common, j * row, this.#index.l2Slots, pod * row, row, this.#common, (j + 1) * row),
    )
    for (let i = 0; i < l2PerPod; i++) {
      for (let j = 0; j < pods.length; j++) this.#flows[j] = leaves[j] * leafCables
      if (more >= 0) this.#flows[more] += cablesTo(i, l2PerPod, remainderUplinks)
      nestedSizes(this.#flows, pods.length, this.#sizes)
      const word = i * l2Words
      for (let j = pods.length - 1, have = 0; j >= 0; j--) {
        const { spines } = parts[j]
        if (j + 1 < pods.length) spines.set(parts[j + 1].spines.subarray(word, word + l2Words), word)
        addLowest(this.#common, (j + 1) * row + word, spines, word, l2Words, this.#sizes[j] - have)
        have = this.#sizes[j]
      }
    }
    return parts
  }
}

/** Returns the number of cables to one L2 index in a mask of uplink slots. */
function cablesTo(index: number, l2PerPod: number, uplinks: Int32Array): number {
  let cables = 0
  for (let slot = index; slot < 32 * uplinks.length; slot += l2PerPod)
    cables += (uplinks[slot >>> 5] >>> (slot & 31)) & 1
  return cables
}
