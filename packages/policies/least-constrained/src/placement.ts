import type { Placement, StateView } from '@cloister/placement'
import { addLowest, type Machine, PlacementIds } from '@cloister/policy-jigsaw'
import type { PodsSearch, Shape } from './pods-search.ts'

/** Turns what the search found into ids, pod after pod, leaf after leaf. */
export function placementOf(machine: Machine, state: StateView, search: PodsSearch, shape: Shape): Placement {
  const { pods, leaves, nodes, remainderLeaves, remainder } = shape
  const size = (pods * leaves + remainderLeaves) * nodes + remainder
  const ids = new PlacementIds(machine, state, size, 2)
  const spines = chooseSpines(machine, search, shape)
  const uplinks = slotsOf(machine, search.cables)
  let pending = search.remainderPod
  const takeRemainderPod = (): void => {
    takeRemainderLeaves(ids, search, shape, uplinks, slotsOf(machine, search.remainderCables))
    ids.takeSpines(pending, spines.remainder)
    pending = -1
  }
  for (let i = 0; i < pods; i++) {
    const pod = search.pods[i]
    if (pending >= 0 && pending < pod) takeRemainderPod()
    for (let j = 0; j < leaves; j++) ids.takeLeaf(search.leaves[i * leaves + j], nodes, uplinks)
    ids.takeSpines(pod, spines.full)
  }
  if (pending >= 0) takeRemainderPod()
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks, ids.l2Links] }
}

function takeRemainderLeaves(
  ids: PlacementIds, search: PodsSearch, { pods, leaves, nodes, remainderLeaves, remainder }: Shape, full: Int32Array, rest: Int32Array,
): void {
  let pending = search.remainderLeaf
  for (let i = 0; i < remainderLeaves; i++) {
    const leaf = search.leaves[pods * leaves + i]
    if (pending >= 0 && pending < leaf) {
      ids.takeLeaf(pending, remainder, rest)
      pending = -1
    }
    ids.takeLeaf(leaf, nodes, full)
  }
  if (pending >= 0) ids.takeLeaf(pending, remainder, rest)
}

/** Slots of every L2 index: S* for full pods, and the part of it that the remainder pod takes. */
function chooseSpines({ l2PerPod, l2Words }: Machine, search: PodsSearch, shape: Shape): { full: Int32Array, remainder: Int32Array } {
  const common = search.commonSpines(false)
  const remainder = new Int32Array(common.length)
  if (search.remainderPod >= 0) {
    const reachable = search.commonSpines(true)
    for (let i = 0; i < l2PerPod; i++) addLowest(reachable, i * l2Words, remainder, i * l2Words, l2Words, ofRemainder(search, shape, i))
  }
  const full = remainder.slice()
  for (let i = 0; i < l2PerPod; i++) {
    addLowest(common, i * l2Words, full, i * l2Words, l2Words, search.cables[i] * shape.leaves - ofRemainder(search, shape, i))
  }
  return { full, remainder }
}

/** Spine links that the remainder pod needs from its L2 index i. */
function ofRemainder({ remainderPod, cables, remainderCables }: PodsSearch, { remainderLeaves }: Shape, i: number): number {
  return remainderPod < 0 ? 0 : cables[i] * remainderLeaves + remainderCables[i]
}

/** The first slots to each L2 index, as many as there are cables. */
function slotsOf({ l2PerPod, leafWords }: Machine, cables: Int32Array): Int32Array {
  const slots = new Int32Array(leafWords)
  for (let i = 0; i < l2PerPod; i++) {
    for (let cable = 0; cable < cables[i]; cable++) {
      const slot = i + cable * l2PerPod
      slots[slot >>> 5] |= 1 << (slot & 31)
    }
  }
  return slots
}
