import { addLowest, PlacementIds, type TreeShape } from '@cloister/isolation'
import type { Placement, StateView } from '@cloister/placement'
import type { PodsSearch, Shape } from './pods-search.ts'

/**
 * Makes a placement from the pods and cables that a search found. Each pod gives its first full leaves: leaves with
 * enough free nodes and all chosen cables, except the remainder leaf.
 */
export function placementOf(tree: TreeShape, state: StateView, search: PodsSearch, shape: Shape): Placement {
  const { pods, leaves, nodes, remainderLeaves, remainder } = shape
  const ids = new PlacementIds(tree, state, (pods * leaves + remainderLeaves) * nodes + remainder, 2)
  const spines = chooseSpines(tree, search, shape)
  const full = slotsOf(tree, search.cables)
  const rest = slotsOf(tree, search.remainderCables)
  const takePod = (pod: number, wanted: number): void => {
    let left = wanted
    for (let leaf = pod * tree.leavesPerPod; leaf < (pod + 1) * tree.leavesPerPod; leaf++) {
      if (leaf === search.remainderLeaf) ids.takeLeaf(leaf, remainder, rest)
      else if (left > 0 && search.isFull(leaf)) {
        ids.takeLeaf(leaf, nodes, full)
        left--
      }
    }
  }
  for (let pod = 0, next = 0; pod < tree.pods; pod++) {
    if (next < pods && search.pods[next] === pod) {
      takePod(pod, leaves)
      ids.takeSpines(pod, spines.full)
      next++
    } else if (pod === search.remainderPod) {
      takePod(pod, remainderLeaves)
      ids.takeSpines(pod, spines.remainder)
    }
  }
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks, ids.l2Links] }
}

/** Chooses the spine slots of every L2 index: the same for all full pods, and a part of them for the remainder pod. */
function chooseSpines(
  { l2PerPod, l2Words }: TreeShape,
  search: PodsSearch,
  shape: Shape,
): { full: Int32Array; remainder: Int32Array } {
  const common = search.commonSpines(false)
  const remainder = new Int32Array(common.length)
  if (search.remainderPod >= 0) {
    const reachable = search.commonSpines(true)
    for (let i = 0; i < l2PerPod; i++)
      addLowest(reachable, i * l2Words, remainder, i * l2Words, l2Words, ofRemainder(search, shape, i))
  }
  const full = remainder.slice()
  for (let i = 0; i < l2PerPod; i++) {
    addLowest(
      common,
      i * l2Words,
      full,
      i * l2Words,
      l2Words,
      search.cables[i] * shape.leaves - ofRemainder(search, shape, i),
    )
  }
  return { full, remainder }
}

function ofRemainder(
  { remainderPod, cables, remainderCables }: PodsSearch,
  { remainderLeaves, remainder }: Shape,
  i: number,
): number {
  return remainderPod < 0 ? 0 : cables[i] * remainderLeaves + (remainder > 0 ? remainderCables[i] : 0)
}

/** Returns a mask of uplink slots of a leaf: the first `cables[i]` slots to each L2 index i. */
function slotsOf({ l2PerPod, leafWords }: TreeShape, cables: Int32Array): Int32Array {
  const slots = new Int32Array(leafWords)
  for (let i = 0; i < l2PerPod; i++) {
    for (let cable = 0; cable < cables[i]; cable++) {
      const slot = i + cable * l2PerPod
      slots[slot >>> 5] |= 1 << (slot & 31)
    }
  }
  return slots
}
