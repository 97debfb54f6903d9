import { popcount, type StateView } from '@cloister/placement'
import { type Found, grown, type LeafPart, nestedSizes, type SpinePart } from './found.ts'
import { type FreeCounts, isWhole, type Tree } from './tree.ts'
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
  readonly remainderUplinks: number
}

/**
 * Search for whole leaves in several pods and a remainder leaf. Above each L2 index, a row of pods owns nested sets of
 * spines. The first pods of a row are full pods. All full pods share `#most` spines above each L2 index, although some
 * of these pods may give fewer than `#most` whole leaves. A tail of pods follows, and each pod of the tail needs fewer
 * spines. A row can also begin with a single big pod, which needs no more spines than all other pods together.
 */
export class SeveralPods {
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  readonly #areNested: boolean
  #state!: StateView
  #counts!: FreeCounts
  #remainder = 0
  readonly #whole: Int32Array
  /** Number of whole leaves that each pod can give if it is not the big pod: at most `fewestSpines` of the pod. */
  readonly #usable: Int32Array
  readonly #order: Int32Array
  readonly #used: Uint8Array
  /** Pods of the row so far. `#leaves` has the number of whole leaves that each of these pods gives. */
  readonly #pods: Int32Array
  readonly #leaves: Int32Array
  /** Masks of the free spines that the row's first `j + 1` pods have in common, at index `j * width` + L2 index. */
  readonly #common: Int32Array
  readonly #flows: Int32Array
  readonly #sizes: Int32Array
  #most = 0
  #left = 0
  #best: Row | undefined

  /** @param areNested false if all pods except one must give equal numbers of leaves (without nested sets) */
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

  /** Returns true if the pods have `wanted` leaves at `#most` a pod, and a row may score lower than the best row. */
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

  /** Adds a pod behind the first `depth` pods of the row; returns false if these pods share too few spines. */
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

  /**
   * Returns the cheapest remainder leaf: with enough nodes, and uplinks to L2 indices at which the row can carry a
   * flow.
   */
  #findRemainder(count: number): { readonly leaf: number; readonly uplinks: number } | undefined {
    const { pods, leavesPerPod } = this.#tree
    let best: { leaf: number; uplinks: number } | undefined
    let least = Infinity
    // Without nested sets, the remainder leaf is in the last pod if this pod gives fewer leaves than the first, else in
    // a new pod.
    const remainderPod = this.#leaves[count - 1] < this.#leaves[0] ? count - 1 : -1
    for (let pod = 0; pod < pods; pod++) {
      if (this.#state.freeNodesInPod(pod) < this.#remainder) continue
      const at = this.#placeInRow(pod, count)
      if (!this.#areNested && at !== remainderPod) continue
      // A whole leaf cannot be the remainder leaf if the row takes all whole leaves of the pod.
      const areWholeTaken = at >= 0 && this.#whole[pod] === this.#leaves[at]
      let allowed: number | undefined
      for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
        if (this.#state.freeNodesOnLeaf(leaf) < this.#remainder) continue
        const own = this.#state.portMask(0, leaf, 0)
        if (popcount(own) < this.#remainder || (areWholeTaken && isWhole(this.#tree, this.#state, leaf))) continue
        allowed ??= this.#allowed(count, at, pod)
        if (popcount(own & allowed) < this.#remainder) continue
        const cost = this.#lifetimes.cost(leaf, this.#remainder)
        if (cost >= least) continue
        least = cost
        best = { leaf, uplinks: grown(0, own & allowed, this.#remainder) }
      }
    }
    return best
  }

  #placeInRow(pod: number, count: number): number {
    for (let j = 0; j < count; j++) if (this.#pods[j] === pod) return j
    return -1
  }

  /**
   * Mask of L2 indices at which the row can carry one more flow of a pod. `at`: index of the pod in the row; -1 if new.
   */
  #allowed(count: number, at: number, pod: number): number {
    const { width } = this.#tree
    const rows = at < 0 ? count + 1 : count
    for (let j = 0; j < rows; j++) this.#flows[j] = j < count ? this.#leaves[j] : 0
    this.#flows[at < 0 ? count : at]++
    nestedSizes(this.#flows, rows, this.#sizes)
    let allowed = 0
    for (let i = 0; i < width; i++) {
      const last = at < 0 ? this.#common[(count - 1) * width + i] & this.#state.portMask(1, pod * width + i, 0) : -1
      let isEnough = at >= 0 || popcount(last) >= this.#sizes[count]
      for (let j = 0; isEnough && j < count; j++) isEnough = popcount(this.#common[j * width + i]) >= this.#sizes[j]
      if (isEnough) allowed |= 1 << i
    }
    return allowed
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
      if (leaf !== besides && isWhole(this.#tree, this.#state, leaf)) whole.push(leaf)
    if (whole.length === count) return whole
    const cost = new Map(whole.map((leaf) => [leaf, this.#lifetimes.cost(leaf, width)]))
    return whole.sort((a, b) => cost.get(a)! - cost.get(b)!).slice(0, count)
  }

  /**
   * Chooses nested sets of spines: from the last pod to the first, a set gets the lowest spines shared with earlier
   * pods.
   */
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
