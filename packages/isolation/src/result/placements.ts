/** Functions that make placements from the results of searches, with all ids in ascending order. */
import type { Placement, StateView } from '@cloister/placement'
import type { FreeIndex } from '../tree/free-index.ts'
import type { TreeShape } from '../tree/tree-shape.ts'
import type { LeafShape, OnePodSearch } from '../search/one-pod.ts'
import { PlacementIds } from './placement-ids.ts'
import type { PodShape, SeveralPodsSearch } from '../search/several-pods.ts'
import { addLowest } from '../tree/slots.ts'

/** Returns the placement on the first free nodes of one leaf, with as many uplinks as nodes or without links. */
export function onOneLeaf(
  tree: TreeShape,
  state: StateView,
  index: FreeIndex,
  leaf: number,
  nodes: number,
  holdUplinks: boolean,
): Placement {
  const ids = new PlacementIds(tree, state, nodes, holdUplinks ? 1 : 0)
  if (!holdUplinks) {
    ids.takeNodes(leaf, nodes)
    return { ok: true, nodes: ids.nodes, links: [] }
  }
  const slots = new Int32Array(tree.leafWords)
  addLowest(index.leafSlots, leaf * tree.leafWords, slots, 0, tree.leafWords, nodes)
  ids.takeLeaf(leaf, nodes, slots)
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks] }
}

/** Returns a placement in one pod: all full leaves use one set S of uplink slots, the remainder leaf a part of S. */
export function inOnePod(
  tree: TreeShape,
  state: StateView,
  index: FreeIndex,
  search: OnePodSearch,
  shape: LeafShape,
): Placement {
  const { leafWords } = tree
  const { common, fullCables: full, remainderCables: remainder } = search
  const all = search.commonOf(shape)
  remainder.fill(0)
  if (shape.remainder > 0) {
    const leaf = search.remainderLeaf * leafWords
    for (let word = 0; word < leafWords; word++) full[word] = common[all + word] & index.leafSlots[leaf + word]
    addLowest(full, 0, remainder, 0, leafWords, shape.remainder)
  }
  full.set(remainder)
  addLowest(common, all, full, 0, leafWords, shape.nodes - shape.remainder)
  const ids = new PlacementIds(tree, state, shape.leaves * shape.nodes + shape.remainder, 1)
  let pending = search.remainderLeaf
  for (let i = 0; i < shape.leaves; i++) {
    const leaf = search.chosen[i]
    if (pending >= 0 && pending < leaf) {
      ids.takeLeaf(pending, shape.remainder, remainder)
      pending = -1
    }
    ids.takeLeaf(leaf, shape.nodes, full)
  }
  if (pending >= 0) ids.takeLeaf(pending, shape.remainder, remainder)
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks] }
}

/** Returns a placement in several pods: per L2 index, full pods use a set S* of spine slots, a remainder pod a part. */
export function inSeveralPods(
  tree: TreeShape,
  state: StateView,
  index: FreeIndex,
  search: SeveralPodsSearch,
  shape: PodShape,
): Placement {
  chooseSpines(tree, index, search, shape)
  const podNodes = shape.leaves * tree.wholeLeaf
  const ids = new PlacementIds(
    tree,
    state,
    shape.pods * podNodes + shape.remainderLeaves * tree.wholeLeaf + shape.remainder,
    2,
  )
  let pending = search.remainderPod
  const takeRemainderPod = (): void => {
    ids.takeWholeLeaves(index, pending, shape.remainderLeaves, search, shape.remainder)
    ids.takeSpines(pending, search.remainderSpines)
    pending = -1
  }
  for (let i = 0; i < shape.pods; i++) {
    const pod = search.chosen[i]
    if (pending >= 0 && pending < pod) takeRemainderPod()
    ids.takeWholeLeaves(index, pod, shape.leaves, undefined, 0)
    ids.takeSpines(pod, search.fullSpines)
  }
  if (pending >= 0) takeRemainderPod()
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks, ids.l2Links] }
}

function chooseSpines(tree: TreeShape, index: FreeIndex, search: SeveralPodsSearch, shape: PodShape): void {
  const { l2PerPod, l2Words, leafCables } = tree
  const { common, fullSpines: full, remainderSpines: remainder, reachable, remainderPod } = search
  const all = search.commonOf(shape)
  remainder.fill(0)
  for (let i = 0; i < l2PerPod; i++) {
    const at = i * l2Words
    let have = 0
    if (remainderPod >= 0) {
      const slots = (remainderPod * l2PerPod + i) * l2Words
      for (let word = 0; word < l2Words; word++) reachable[word] = common[all + at + word] & index.l2Slots[slots + word]
      have = shape.remainderLeaves * leafCables + (shape.remainder > 0 ? search.remainderCables[i] : 0)
      addLowest(reachable, 0, remainder, at, l2Words, have)
    }
    for (let word = at; word < at + l2Words; word++) full[word] = remainder[word]
    addLowest(common, all + at, full, at, l2Words, shape.leaves * leafCables - have)
  }
}
