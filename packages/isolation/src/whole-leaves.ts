import type { Placement, StateView } from '@cloister/placement'
import { type FreeIndex, WHOLE_LEAVES } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'
import type { AcrossPods } from './partition-placer.ts'
import { PlacementMasks } from './placement-masks.ts'
import type { PartitionConfig, Search } from './search.ts'
import { type PodShape, SeveralPodsSearch } from './several-pods.ts'
import { addLowest } from './slots.ts'

/** Largest number of job sizes with remembered shapes; a log has a few hundred sizes. */
const MOST_SIZES = 4096

/**
 * Search over several pods by whole leaves and at most one remainder leaf: the second half of GET_ALLOCATION in
 * Algorithm 1 of the Jigsaw paper.
 */
export class WholeLeaves implements AcrossPods {
  readonly #tree: TreeShape
  readonly #order: PartitionConfig['order']
  readonly #search: Search
  readonly #severalPods: SeveralPodsSearch
  /** Shapes of each requested size, in the order of the search. */
  readonly #shapesOf = new Map<number, ReadonlyArray<PodShape>>()

  constructor(tree: TreeShape, order: PartitionConfig['order'], search: Search) {
    this.#tree = tree
    this.#order = order
    this.#search = search
    this.#severalPods = new SeveralPodsSearch(tree, search)
  }

  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const { podsWithWhole } = index
    if (nodes < this.#tree.wholeLeaf || nodes > this.mostNodes(index)) return undefined
    const shapes = this.#shapes(nodes)
    for (let at = 0; at < shapes.length; at++) {
      const shape = shapes[at]
      if (podsWithWhole[shape.leaves] < shape.pods || !this.#hasRemainderPod(index, shape)) continue
      if (this.#severalPods.find(index, shape)) return inSeveralPods(this.#tree, state, index, this.#severalPods, shape)
      if (this.#search.exhausted) return undefined
      this.#search.obstacle = 'common spine links'
    }
    return undefined
  }

  /** Returns the nodes that all whole leaves and the largest remainder leaf give a job; 0 if no leaf is whole. */
  mostNodes({ summary }: FreeIndex): number {
    return summary[WHOLE_LEAVES] === 0 ? 0 : (summary[WHOLE_LEAVES] + 1) * this.#tree.wholeLeaf - 1
  }

  /** Returns the nodes of a placement without those of its remainder leaf. */
  wholeNodes(nodes: number): number {
    return nodes - (nodes % this.#tree.wholeLeaf)
  }

  #shapes(nodes: number): ReadonlyArray<PodShape> {
    const known = this.#shapesOf.get(nodes)
    if (known !== undefined) return known
    const { leavesPerPod, leafCables, l2Ports, cablesFor, wholeLeaf } = this.#tree
    const most = Math.min(leavesPerPod, Math.floor(cablesFor[l2Ports] / leafCables), Math.floor(nodes / wholeLeaf))
    const shapes = Array.from({ length: most }, (_, less) => this.#shape(nodes, most - less))
    if (this.#order !== 'densest-first') shapes.reverse()
    if (this.#shapesOf.size === MOST_SIZES) this.#shapesOf.clear()
    this.#shapesOf.set(nodes, shapes)
    return shapes
  }

  /** In the returned shape, nodes = (pods * leaves + remainderLeaves) * wholeLeaf + remainder. */
  #shape(nodes: number, leaves: number): PodShape {
    const { wholeLeaf } = this.#tree
    const pods = Math.floor(nodes / (leaves * wholeLeaf))
    const left = nodes - pods * leaves * wholeLeaf
    const remainderLeaves = Math.floor(left / wholeLeaf)
    const leavesUp = this.#search.fewestUplinks && pods === 1 ? remainderLeaves : leaves
    return { pods, leaves, leavesUp, remainderLeaves, remainder: left % wholeLeaf }
  }

  /** Returns false if counts of leaves rule out every pod for the remainder of a shape. */
  #hasRemainderPod(index: FreeIndex, shape: PodShape): boolean {
    // A single full pod without a remainder is no placement in several pods.
    if (shape.remainderLeaves + shape.remainder === 0) return shape.pods > 1
    if (index.podsWithWhole[shape.leaves] > shape.pods) return true
    const { pods, nodesPerLeaf, wholeLeaf } = this.#tree
    for (let pod = 0, row = 0; pod < pods; pod++, row += nodesPerLeaf + 1) {
      const whole = index.leavesUsable[row + wholeLeaf]
      if (
        whole < shape.leaves &&
        whole >= shape.remainderLeaves &&
        index.leavesFree[row + shape.remainder] > shape.remainderLeaves
      )
        return true
    }
    return false
  }
}

/** Returns a placement in several pods: per L2 index, full pods use a set S* of spine slots, a remainder pod a part. */
function inSeveralPods(
  tree: TreeShape,
  state: StateView,
  index: FreeIndex,
  search: SeveralPodsSearch,
  shape: PodShape,
): Placement {
  chooseSpines(tree, index, search, shape)
  const masks = new PlacementMasks(tree, state)
  let pending = search.remainderPod
  const takeRemainderPod = (): void => {
    masks.takeWholeLeaves(index, pending, shape.remainderLeaves, search, shape.remainder)
    masks.takeSpines(pending, search.remainderSpines)
    pending = -1
  }
  for (let i = 0; i < shape.pods; i++) {
    const pod = search.chosen[i]
    if (pending >= 0 && pending < pod) takeRemainderPod()
    masks.takeWholeLeaves(index, pod, shape.leaves, undefined, 0)
    masks.takeSpines(pod, search.fullSpines)
  }
  if (pending >= 0) takeRemainderPod()
  return masks.placement()
}

/** Writes the spine slots of full pods and of the remainder pod. */
function chooseSpines(tree: TreeShape, index: FreeIndex, search: SeveralPodsSearch, shape: PodShape): void {
  const { l2PerPod, l2Words, leafCables, spinesFor } = tree
  const { common, fullSpines: full, remainderSpines: remainder, reachable, remainderPod } = search
  const all = search.commonOf(shape)
  const wanted = spinesFor[shape.leavesUp * leafCables]
  remainder.fill(0)
  for (let i = 0; i < l2PerPod; i++) {
    const at = i * l2Words
    let have = 0
    if (remainderPod >= 0) {
      const slots = (remainderPod * l2PerPod + i) * l2Words
      for (let word = 0; word < l2Words; word++) reachable[word] = common[all + at + word] & index.l2Slots[slots + word]
      have = spinesFor[shape.remainderLeaves * leafCables + (shape.remainder > 0 ? search.remainderCables[i] : 0)]
      addLowest(reachable, 0, remainder, at, l2Words, have)
    }
    for (let word = at; word < at + l2Words; word++) full[word] = remainder[word]
    addLowest(common, all + at, full, at, l2Words, wanted - have)
  }
}
