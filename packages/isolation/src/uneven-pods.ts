import type { Placement, StateView } from '@cloister/placement'
import { type FreeIndex, WHOLE_NODES } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'
import type { AcrossPods } from './partition-placer.ts'
import { PlacementMasks } from './placement-masks.ts'
import type { PartitionConfig, Search } from './search.ts'
import { PodFilter } from './pod-filter.ts'
import { addLowest, cablesTo, count, countCommon } from './slots.ts'
import { WholeOfPods } from './whole-of-pods.ts'

/** Part of a job in one pod. */
interface PodPart {
  readonly pod: number
  /** Number of whole leaves that the pod's spines allow. */
  readonly most: number
  whole: ReadonlyArray<number>
  /** Remainder leaf, or -1; its number of nodes; and its number of cables to each L2 index. */
  leaf: number
  rest: number
  cables: ReadonlyArray<number>
}

/**
 * Search over several pods for whole leaves with different numbers of present nodes, for trees with absent parts. The
 * job takes all present nodes and all uplinks of a whole leaf, so the absent nodes are silent nodes of the job. Above
 * each L2 index all full pods own one set of spines, which suffices for `leaves` whole leaves. A remainder pod, with at
 * most as many whole leaves, owns a part of the set. One remainder leaf of any pod has fewer nodes. Bandwidth then
 * follows from the auditor's rule `nested-remainders`. The search tries full pods in order of ids, and is exhaustive if
 * its steps suffice.
 */
export class UnevenPods implements AcrossPods {
  readonly #tree: TreeShape
  readonly #order: PartitionConfig['order']
  readonly #search: Search
  /** False if the job takes whole leaves only, and perhaps more nodes than requested. */
  readonly #isExact: boolean
  readonly #whole: WholeOfPods
  readonly #full: Array<number> = []
  readonly #filter: PodFilter
  /** Candidates for the next full pod after the first d full pods, in row d. */
  readonly #candidates: Int32Array
  /** 1 for each pod that is not among several full pods in any solution. */
  readonly #isAlone: Uint8Array
  /** Masks of the spine slots that the first d full pods have in common, by L2 index, in row d. */
  readonly #common: Int32Array
  readonly #rowWords: number
  #index!: FreeIndex
  #leaves = 0
  /** Largest number of nodes of a pod on `#leaves` whole leaves. */
  #most = 0
  #nodes = 0
  /** Parts of the job in the full pods, and in the remainder pod if there is one. */
  #parts: Array<PodPart> = []

  constructor(tree: TreeShape, order: PartitionConfig['order'], search: Search, isExact: boolean) {
    this.#tree = tree
    this.#order = order
    this.#search = search
    this.#isExact = isExact
    this.#whole = new WholeOfPods(tree)
    this.#filter = new PodFilter(tree)
    this.#candidates = this.#filter.candidates
    this.#isAlone = new Uint8Array(tree.pods)
    this.#rowWords = tree.l2PerPod * tree.l2Words
    this.#common = this.#filter.common
  }

  /** Returns the nodes of all whole leaves and, for an exact search, of the largest remainder leaf. */
  mostNodes({ summary }: FreeIndex): number {
    return summary[WHOLE_NODES] === 0 ? 0 : summary[WHOLE_NODES] + this.#mostRest()
  }

  /** Returns the nodes of a placement without those of the largest remainder leaf. */
  wholeNodes(nodes: number): number {
    return Math.max(0, nodes - this.#mostRest())
  }

  #mostRest(): number {
    return this.#isExact ? this.#tree.nodesPerLeaf - 1 : 0
  }

  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    if (nodes > this.mostNodes(index)) return undefined
    const most = this.#whole.list(index)
    this.#index = index
    this.#nodes = nodes
    for (let step = 0; step < most; step++) {
      this.#leaves = this.#order === 'densest-first' ? most - step : 1 + step
      this.#full.length = 0
      this.#findAlone()
      if (this.#pick(0, nodes)) return this.#placement(state, index)
      if (this.#search.exhausted) return undefined
    }
    this.#search.obstacle = 'common spine links'
    return undefined
  }

  /** Chooses further full pods from pod `from` on for `left` nodes. Returns true if `#parts` has all nodes of the job. */
  #pick(from: number, left: number): boolean {
    const isFirst = this.#full.length === 0
    if (!isFirst && this.#finish(left)) return true
    const row = this.#full.length * this.#tree.pods
    const end = row + this.#listCandidates(row, from, left)
    let offered = 0
    for (let at = row; at < end; at++) offered += this.#whole.nodesOf(this.#candidates[at], this.#leaves)
    let other = this.#mostOfOthers(row, end)
    for (let at = row; at < end; at++) {
      // The remaining candidates, a remainder pod and a remainder leaf hold too few nodes.
      if (offered + other + this.#mostRest() < left) return false
      const pod = this.#candidates[at]
      const own = this.#whole.nodesOf(pod, this.#leaves)
      offered -= own
      other = Math.max(other, own)
      if (this.#whole.count[pod] === 0) continue
      const isAlone = isFirst && this.#isAlone[pod] === 1
      if (isAlone && own + this.#most + this.#mostRest() < left) continue
      const shared = this.#join(pod)
      // A single full pod has no more flows than the remainder pod, and so needs only the remainder pod's spines.
      if (shared === undefined && !isFirst) continue
      if (!this.#search.step()) return false
      this.#full.push(pod)
      const isFound = shared === undefined || isAlone ? this.#finish(left - own) : this.#pick(pod + 1, left - own)
      if (isFound) return true
      this.#full.pop()
      // A solution without a pod that takes no spine from the common ones is also a solution with the pod.
      if (shared === 'all' || this.#search.exhausted) return false
    }
    return false
  }

  /**
   * Finds the pods that are not among several full pods in any solution, by counts of nodes and spines. A search with a
   * limit of steps tries all pods.
   */
  #findAlone(): void {
    let all = this.#mostRest()
    this.#most = 0
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      const own = this.#whole.nodesOf(pod, this.#leaves)
      all += own
      this.#most = Math.max(this.#most, own)
    }
    this.#isAlone.fill(0)
    if (this.#search.isLimited || all < this.#nodes) return
    const stay = this.#listFiltered(0, 0, this.#nodes, 2)
    this.#isAlone.fill(1)
    for (let at = 0; at < stay; at++) this.#isAlone[this.#candidates[at]] = 0
  }

  /** Lists pods from pod `from` on that may be further full pods for `left` nodes, and returns their number. */
  #listCandidates(row: number, from: number, left: number): number {
    if (row > 0 && !this.#search.isLimited) return this.#listFiltered(row, from, left, 1)
    for (let pod = from; pod < this.#tree.pods; pod++) this.#candidates[row + pod - from] = pod
    return this.#tree.pods - from
  }

  /** Lists pods that, by counts of nodes and spines, may be at least `atLeast` further full pods for `left` nodes. */
  #listFiltered(row: number, from: number, left: number, atLeast: number): number {
    const { pods, leafCables, spinesFor } = this.#tree
    let listed = 0
    for (let pod = from; pod < pods; pod++)
      if (this.#whole.count[pod] > 0 && this.#isAlone[pod] === 0) this.#candidates[row + listed++] = pod
    // Beside the further pods, a remainder pod and a remainder leaf have nodes of the job.
    const wanted = Math.max(atLeast, Math.ceil((left - this.#mostRest()) / this.#most) - 1)
    // For one further pod, `#join` looks at the spines.
    if (wanted === 1) return listed
    const slots = spinesFor[this.#leaves * leafCables]
    return this.#filter.prune(this.#index.l2Slots, this.#full.length, row, listed, wanted, slots)
  }

  /** Returns the largest number of nodes of a pod that is neither full nor a candidate between two indices. */
  #mostOfOthers(row: number, end: number): number {
    let most = 0
    for (let pod = 0, at = row; pod < this.#tree.pods; pod++) {
      if (at < end && this.#candidates[at] === pod) at++
      else if (!this.#full.includes(pod)) most = Math.max(most, this.#whole.nodesOf(pod, this.#leaves))
    }
    return most
  }

  /**
   * Writes the spine slots that a pod has in common with the full pods into the next row. Returns `all` if these are all
   * slots that the full pods have in common, and undefined if they are too few for `#leaves` whole leaves.
   */
  #join(pod: number): 'all' | 'some' | undefined {
    const { l2PerPod, l2Words, leafCables, spinesFor } = this.#tree
    const above = this.#full.length * this.#rowWords
    const here = above + this.#rowWords
    let isAll = this.#full.length > 0
    for (let word = 0; word < this.#rowWords; word++) {
      this.#common[here + word] = this.#common[above + word] & this.#index.l2Slots[pod * this.#rowWords + word]
      isAll &&= this.#common[here + word] === this.#common[above + word]
    }
    for (let i = 0; i < l2PerPod; i++)
      if (count(this.#common, here + i * l2Words, l2Words) < spinesFor[this.#leaves * leafCables]) return undefined
    return isAll ? 'all' : 'some'
  }

  /** Completes the full pods with a remainder pod and a remainder leaf, if `left` nodes are still to be placed. */
  #finish(left: number): boolean {
    if (this.#full.length > 1 && left <= this.#mostRest() && this.#take()) return true
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      if (this.#full.includes(pod) || this.#whole.nodesOf(pod, this.#leaves) + this.#mostRest() < left) continue
      const most = Math.min(this.#leaves, this.#leavesOn(pod))
      if (this.#whole.nodesOf(pod, most) + this.#mostRest() >= left && this.#take({ pod, most })) return true
    }
    return false
  }

  /** Returns the number of whole leaves for which a pod has spines in common with the full pods. */
  #leavesOn(pod: number): number {
    const { l2PerPod, leafCables, cablesFor } = this.#tree
    let leaves = Infinity
    for (let i = 0; i < l2PerPod; i++)
      leaves = Math.min(leaves, Math.floor(cablesFor[this.#spinesOf(pod, i)] / leafCables))
    return leaves
  }

  #spinesOf(pod: number, i: number): number {
    const { l2Words } = this.#tree
    const { l2Slots } = this.#index
    const row = this.#full.length * this.#rowWords
    return countCommon(this.#common, row + i * l2Words, l2Slots, pod * this.#rowWords + i * l2Words, l2Words)
  }

  /** Takes whole leaves of the full pods and of a remainder pod. Returns false if the rest of the nodes fits nowhere. */
  #take(remainderPod?: { readonly pod: number; readonly most: number }): boolean {
    this.#parts = []
    let left = this.#nodes
    for (const pod of this.#full) left = this.#takeWhole(pod, this.#leaves, left)
    if (remainderPod !== undefined) left = this.#takeWhole(remainderPod.pod, remainderPod.most, left)
    if (left === 0) return true
    return this.#isExact ? this.#addRest(left) : this.#roundUp(left)
  }

  /** Adds the part of a pod, without a remainder leaf. Returns the number of nodes that are left. */
  #takeWhole(pod: number, most: number, nodes: number): number {
    const { wholeNodes } = this.#index
    const whole: Array<number> = []
    let left = nodes
    for (const leaf of this.#whole.largest(pod, most)) {
      if (wholeNodes[leaf] > left) continue
      left -= wholeNodes[leaf]
      whole.push(leaf)
    }
    this.#parts.push({ pod, most, whole, leaf: -1, rest: 0, cables: [] })
    return left
  }

  /** Puts the rest of the nodes on a leaf that is not whole or, as a last resort, on a whole leaf. */
  #addRest(left: number): boolean {
    const { leavesPerPod } = this.#tree
    const { usable, wholeNodes } = this.#index
    for (const isWhole of [false, true]) {
      for (let at = this.#parts.length - 1; at >= 0; at--) {
        const part = this.#parts[at]
        for (let leaf = part.pod * leavesPerPod; leaf < (part.pod + 1) * leavesPerPod; leaf++) {
          if (usable[leaf] < left || wholeNodes[leaf] > 0 !== isWhole || part.whole.includes(leaf)) continue
          const cables = this.#cablesOfRest(part, leaf, left)
          if (cables === undefined) continue
          Object.assign(part, { leaf, rest: left, cables })
          return true
        }
      }
    }
    return false
  }

  /** Returns the number of cables of a remainder leaf to each L2 index; undefined if these are too few. */
  #cablesOfRest({ pod, whole }: PodPart, leaf: number, nodes: number): ReadonlyArray<number> | undefined {
    const { l2PerPod, leafCables, cablesFor, uplinksFor, leafPorts, leafWords } = this.#tree
    const { leafSlots } = this.#index
    // The spines of a single full pod do not limit its cables: no more flows than the remainder pod has leave the pod.
    const isLimited = this.#full.length > 1 || pod !== this.#full[0]
    const cables: Array<number> = []
    let left = uplinksFor[nodes]
    for (let i = 0; i < l2PerPod; i++) {
      const own = cablesTo(leafSlots, leaf * leafWords, i, l2PerPod, leafPorts)
      const all = isLimited ? cablesFor[this.#spinesOf(pod, i)] - whole.length * leafCables : own
      cables.push(Math.min(left, own, all))
      left -= cables[i]
    }
    return left === 0 ? cables : undefined
  }

  /** Adds the smallest whole leaf that holds the rest of the nodes, and drops leaves that the job then does not need. */
  #roundUp(left: number): boolean {
    const { wholeNodes } = this.#index
    const unused = this.#parts.flatMap((part) =>
      Array.from(this.#whole.largest(part.pod, part.most))
        .filter((leaf) => !part.whole.includes(leaf))
        .map((leaf) => ({ part, leaf })),
    )
    if (unused.length === 0) return false
    const last = unused.reduce((best, each) => (wholeNodes[each.leaf] < wholeNodes[best.leaf] ? each : best))
    let spare = wholeNodes[last.leaf] - left
    for (const part of this.#parts.toReversed()) {
      part.whole = part.whole.toReversed().filter((leaf) => {
        if (wholeNodes[leaf] > spare) return true
        spare -= wholeNodes[leaf]
        return false
      })
    }
    last.part.whole = [...last.part.whole, last.leaf]
    return true
  }

  #placement(state: StateView, index: FreeIndex): Placement {
    const { pods, leavesPerPod, leafWords } = this.#tree
    const parts = this.#parts.filter(({ whole, rest }) => whole.length > 0 || rest > 0)
    const sets = this.#chooseSpines(index, parts)
    const whole = new Set(parts.flatMap((part) => part.whole))
    const rest = parts.find((part) => part.rest > 0)
    const masks = new PlacementMasks(this.#tree, state)
    for (let pod = 0; pod < pods; pod++) {
      const at = parts.findIndex((part) => part.pod === pod)
      if (at < 0) continue
      for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
        if (leaf === rest?.leaf) masks.takeLeaf(leaf, rest.rest, masks.slotsTo(index, leaf, rest.cables))
        else if (whole.has(leaf))
          masks.takeLeaf(
            leaf,
            index.wholeNodes[leaf],
            index.leafSlots.subarray(leaf * leafWords, (leaf + 1) * leafWords),
          )
      }
      masks.takeSpines(pod, sets[at])
    }
    return masks.placement()
  }

  /** Chooses nested sets of spine slots above every L2 index, for each part. */
  #chooseSpines(index: FreeIndex, parts: ReadonlyArray<PodPart>): ReadonlyArray<Int32Array> {
    const { l2PerPod, l2Words, leafCables, spinesFor } = this.#tree
    const sets = parts.map(() => new Int32Array(this.#rowWords))
    const last = parts.length - 1
    const isRemainderPod = !this.#full.includes(parts[last].pod)
    const row = this.#full.length * this.#rowWords
    for (let i = 0; i < l2PerPod; i++) {
      const needed = parts.map(({ whole, cables }) => spinesFor[whole.length * leafCables + (cables[i] ?? 0)])
      const word = i * l2Words
      let ofAll = 0
      // With a single full pod beside the remainder pod, no more flows than the remainder pod has leave either pod.
      for (let at = 0; at < parts.length; at++)
        if (!isRemainderPod || parts.length > 2 || at === last) ofAll = Math.max(ofAll, needed[at])
      const ofLast = isRemainderPod ? needed[last] : ofAll
      const own = new Int32Array(l2Words)
      for (let each = 0; each < l2Words; each++)
        own[each] =
          this.#common[row + word + each] &
          (isRemainderPod ? index.l2Slots[parts[last].pod * this.#rowWords + word + each] : -1)
      addLowest(own, 0, sets[last], word, l2Words, ofLast)
      for (let at = 0; at < last; at++) {
        sets[at].set(sets[last].subarray(word, word + l2Words), word)
        addLowest(this.#common, row + word, sets[at], word, l2Words, ofAll - ofLast)
      }
    }
    return sets
  }
}
