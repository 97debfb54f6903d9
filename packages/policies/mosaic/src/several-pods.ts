import { popcount, type StateView } from '@cloister/placement'
import { type Found, grown, type LeafPart, type SpinePart } from './found.ts'
import type { FreeCounts } from './free-counts.ts'
import type { Lifetimes } from './lifetimes.ts'
import { nestedSizes } from './nested-sets.ts'
import type { Tree } from './tree.ts'

/** Pods that one depth-first search may try, besides one for each pod. */
const BUDGET = 40
/** What a spine link too many costs, in pods. */
const SPARE = 0.3

/** A row of pods that together have the whole leaves, and where the remainder leaf is. */
interface Row {
  readonly score: number
  readonly pods: ReadonlyArray<number>
  readonly leaves: ReadonlyArray<number>
  /** -1 for none; its pod may be the last of the row, with no whole leaves. */
  readonly remainderLeaf: number
  readonly remainderUplinks: number
}

/**
 * Whole leaves in several pods and a remainder leaf. Above each L2 index the pods, in a row, own nested sets of spines. First come full
 * pods with `most` common spines an index, though some may have fewer whole leaves; then a tail that needs ever fewer; or one big pod,
 * which needs no more than all others together.
 */
export class SeveralPods {
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  readonly #areNested: boolean
  #state!: StateView
  #counts!: FreeCounts
  #remainder = 0
  readonly #whole: Int32Array
  /** Of each pod: whole leaves that it can give where it is not the one big pod. */
  readonly #usable: Int32Array
  readonly #order: Int32Array
  readonly #used: Uint8Array
  /** The row so far: pods, and the whole leaves that each gives. */
  readonly #pods: Int32Array
  readonly #leaves: Int32Array
  /** Row `j`: spines that the first `j + 1` pods have free in common, by L2 index. */
  readonly #common: Int32Array
  readonly #flows: Int32Array
  readonly #sizes: Int32Array
  #most = 0
  #left = 0
  #best: Row | undefined

  /** @param areNested else all pods but one give as many leaves */
  constructor(tree: Tree, lifetimes: Lifetimes, areNested: boolean) {
    const { pods, width } = tree
    this.#tree = tree
    this.#lifetimes = lifetimes
    this.#areNested = areNested
    this.#whole = new Int32Array(pods)
    this.#usable = new Int32Array(pods)
    this.#order = new Int32Array(pods)
    this.#used = new Uint8Array(pods)
    this.#pods = new Int32Array(pods + 1)
    this.#leaves = new Int32Array(pods + 1)
    this.#common = new Int32Array((pods + 1) * width)
    this.#flows = new Int32Array(pods + 1)
    this.#sizes = new Int32Array(pods + 1)
  }

  find(state: StateView, counts: FreeCounts, nodes: number): Found | undefined {
    const { pods, width } = this.#tree
    const wanted = Math.floor(nodes / width)
    let whole = 0
    for (let pod = 0; pod < pods; pod++) whole += this.#whole[pod] = state.wholeLeavesInPod(pod)
    if (wanted === 0 || whole < wanted) return undefined
    let usable = 0
    for (let pod = 0; pod < pods; pod++)
      usable += this.#usable[pod] = Math.min(this.#whole[pod], counts.fewestSpines[pod])
    this.#state = state
    this.#counts = counts
    this.#remainder = nodes % width
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

  /** Whether pods with at most so many leaves have enough, and can be fewer than those found. */
  #canBeBetter(wanted: number): boolean {
    let leaves = 0
    for (let pod = 0; pod < this.#tree.pods; pod++) leaves += Math.min(this.#usable[pod], this.#most)
    return leaves >= wanted && Math.ceil(wanted / this.#most) < (this.#best?.score ?? Infinity)
  }

  #tryBigPods(wanted: number, usable: number): void {
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      const leaves = Math.min(this.#whole[pod], wanted)
      this.#most = wanted - leaves
      if (leaves === 0 || this.#most > leaves || this.#most + this.#remainder === 0) continue
      if (this.#most > usable - this.#usable[pod] || this.#most > this.#counts.fewestSpines[pod]) continue
      if (!this.#append(0, pod, leaves, this.#most)) continue
      this.#addTail(1, this.#most)
      this.#used[pod] = 0
    }
  }

  /** Pods that give most leaves first, of these the ones that have fewest. */
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

  /** True once a row is found, or no tries are left. */
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

  /** Puts a pod behind the first `depth`, if all of these have so many spines in common at each L2 index. */
  #append(depth: number, pod: number, leaves: number, spines: number): boolean {
    if (this.#counts.fewestSpines[pod] < spines) return false
    const { width } = this.#tree
    const row = depth * width
    for (let i = 0; i < width; i++) {
      const above = depth === 0 ? -1 : this.#common[row - width + i]
      const common = above & this.#state.portMask(1, pod * width + i, 0)
      if (popcount(common) < spines) return false
      this.#common[row + i] = common
    }
    this.#pods[depth] = pod
    this.#leaves[depth] = leaves
    this.#used[pod] = 1
    return true
  }

  /** Each time the pod that gives most of the leaves still wanted; it shares spines for all of these, or as many as a full pod does. */
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

  /** The row has all whole leaves: looks for the remainder leaf, and keeps the row if it is the best. */
  #complete(count: number): boolean {
    const remainder = this.#remainder === 0 ? { leaf: -1, uplinks: 0 } : this.#findRemainder(count)
    if (remainder === undefined) return false
    const pods = Array.from(this.#pods.subarray(0, count))
    const pod = Math.floor(remainder.leaf / this.#tree.leavesPerPod)
    if (remainder.leaf >= 0 && !pods.includes(pod)) pods.push(pod)
    const leaves = pods.map((_, j) => (j < count ? this.#leaves[j] : 0))
    nestedSizes(leaves, pods.length, this.#sizes)
    const spare = leaves.reduce((sum, own, j) => sum + Math.max(0, this.#sizes[j] - own), 0)
    const score = pods.length + SPARE * spare
    if (this.#best === undefined || score < this.#best.score)
      this.#best = { score, pods, leaves, remainderLeaf: remainder.leaf, remainderUplinks: remainder.uplinks }
    return true
  }

  /** The cheapest leaf with enough nodes and enough uplinks at L2 indices where the sets have room for one flow more. */
  #findRemainder(count: number): { readonly leaf: number; readonly uplinks: number } | undefined {
    const { pods, leavesPerPod } = this.#tree
    let best: { leaf: number; uplinks: number } | undefined
    let least = Infinity
    // Where sets are not nested: the pod with fewer leaves, else one of its own.
    const remainderPod = this.#leaves[count - 1] < this.#leaves[0] ? count - 1 : -1
    for (let pod = 0; pod < pods; pod++) {
      if (this.#state.freeNodesInPod(pod) < this.#remainder) continue
      const at = this.#placeInRow(pod, count)
      if (!this.#areNested && at !== remainderPod) continue
      // A whole leaf is no remainder leaf where the row takes all of them.
      const areWholeTaken = at >= 0 && this.#whole[pod] === this.#leaves[at]
      let room: number | undefined
      for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
        if (this.#state.freeNodesOnLeaf(leaf) < this.#remainder) continue
        const own = this.#state.portMask(0, leaf, 0)
        if (popcount(own) < this.#remainder || (areWholeTaken && this.#isWhole(leaf))) continue
        room ??= this.#room(count, at, pod)
        if (popcount(own & room) < this.#remainder) continue
        const cost = this.#lifetimes.cost(leaf, this.#remainder)
        if (cost >= least) continue
        least = cost
        best = { leaf, uplinks: grown(0, own & room, this.#remainder) }
      }
    }
    return best
  }

  /** Where a pod is among the first `count` of the row; -1 where it is not. */
  #placeInRow(pod: number, count: number): number {
    for (let j = 0; j < count; j++) if (this.#pods[j] === pod) return j
    return -1
  }

  /** L2 indices at which the pods can carry one flow more of a pod, which is in the row at a place or comes last. */
  #room(count: number, at: number, pod: number): number {
    const { width } = this.#tree
    const rows = at < 0 ? count + 1 : count
    for (let j = 0; j < rows; j++) this.#flows[j] = j < count ? this.#leaves[j] : 0
    this.#flows[at < 0 ? count : at]++
    nestedSizes(this.#flows, rows, this.#sizes)
    let room = 0
    for (let i = 0; i < width; i++) {
      const last = at < 0 ? this.#common[(count - 1) * width + i] & this.#state.portMask(1, pod * width + i, 0) : -1
      let isEnough = at >= 0 || popcount(last) >= this.#sizes[count]
      for (let j = 0; isEnough && j < count; j++) isEnough = popcount(this.#common[j * width + i]) >= this.#sizes[j]
      if (isEnough) room |= 1 << i
    }
    return room
  }

  #isWhole(leaf: number): boolean {
    const { width, allUplinks } = this.#tree
    return this.#state.freeNodesOnLeaf(leaf) === width && this.#state.portMask(0, leaf, 0) === allUplinks
  }

  #found({ score, pods, leaves, remainderLeaf, remainderUplinks }: Row): Found {
    const { width, allUplinks } = this.#tree
    const parts: Array<LeafPart> = pods.flatMap((pod, j) =>
      this.#cheapestWhole(pod, leaves[j], remainderLeaf).map((leaf) => ({ leaf, nodes: width, uplinks: allUplinks })),
    )
    if (remainderLeaf >= 0) parts.push({ leaf: remainderLeaf, nodes: this.#remainder, uplinks: remainderUplinks })
    const spines: Array<SpinePart> = []
    for (let i = 0; i < width; i++) {
      const isRemainder = ((remainderUplinks >>> i) & 1) === 1
      this.#chooseSpines(
        i,
        pods,
        leaves,
        isRemainder ? Math.floor(remainderLeaf / this.#tree.leavesPerPod) : -1,
        spines,
      )
    }
    return { score, leaves: parts, spines }
  }

  #cheapestWhole(pod: number, count: number, besides: number): ReadonlyArray<number> {
    const { leavesPerPod, width } = this.#tree
    const whole: Array<number> = []
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++)
      if (leaf !== besides && this.#isWhole(leaf)) whole.push(leaf)
    if (whole.length === count) return whole
    const cost = new Map(whole.map((leaf) => [leaf, this.#lifetimes.cost(leaf, width)]))
    return whole.sort((a, b) => cost.get(a)! - cost.get(b)!).slice(0, count)
  }

  /** From the innermost set outwards; the lowest spines that all pods further out share. */
  #chooseSpines(
    i: number,
    pods: ReadonlyArray<number>,
    leaves: ReadonlyArray<number>,
    more: number,
    into: Array<SpinePart>,
  ): void {
    const { width } = this.#tree
    const common = new Int32Array(pods.length)
    pods.forEach((pod, j) => {
      common[j] = (j === 0 ? -1 : common[j - 1]) & this.#state.portMask(1, pod * width + i, 0)
    })
    const flows = leaves.map((own, j) => own + (pods[j] === more ? 1 : 0))
    nestedSizes(flows, pods.length, this.#sizes)
    let set = 0
    for (let j = pods.length - 1; j >= 0; j--) {
      set = grown(set, common[j], this.#sizes[j])
      if (set !== 0) into.push({ l2: pods[j] * width + i, spines: set })
    }
  }
}
