/** Turns what a search found into ids: ascending, so that nothing is ever sorted. */
import type { Placement, StateView } from '@cloister/placement'
import type { FreeIndex } from './free-index.ts'
import type { Machine } from './machine.ts'
import type { LeafShape, OnePodSearch } from './one-pod.ts'
import type { PodShape, SeveralPodsSearch } from './several-pods.ts'
import { addLowest, appendPorts } from './slots.ts'

/** Any free nodes of one leaf; uplinks only where the config asks for them. */
export function onOneLeaf(machine: Machine, state: StateView, index: FreeIndex, leaf: number, nodes: number, holdUplinks: boolean): Placement {
  const ids = new Ids(machine, state, nodes, holdUplinks ? 1 : 0)
  if (!holdUplinks) {
    ids.takeNodes(leaf, nodes)
    return { ok: true, nodes: ids.nodes, links: [] }
  }
  const slots = new Int32Array(machine.leafWords)
  addLowest(index.leafSlots, leaf * machine.leafWords, slots, 0, machine.leafWords, nodes)
  ids.takeLeaf(leaf, nodes, slots)
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks] }
}

/** Full leaves over one set S of uplinks, the remainder leaf over a part of it. */
export function inOnePod(machine: Machine, state: StateView, index: FreeIndex, search: OnePodSearch, shape: LeafShape): Placement {
  const { leafWords } = machine
  const common = search.common(shape)
  const remainder = new Int32Array(leafWords)
  if (shape.remainder > 0) {
    const reachable = new Int32Array(leafWords)
    for (let word = 0; word < leafWords; word++) reachable[word] = common[word]! & index.leafSlots[search.remainderLeaf * leafWords + word]!
    addLowest(reachable, 0, remainder, 0, leafWords, shape.remainder)
  }
  const full = remainder.slice()
  addLowest(common, 0, full, 0, leafWords, shape.nodes - shape.remainder)
  const ids = new Ids(machine, state, shape.leaves * shape.nodes + shape.remainder, 1)
  let pending = search.remainderLeaf
  for (let i = 0; i < shape.leaves; i++) {
    const leaf = search.chosen[i]!
    if (pending >= 0 && pending < leaf) {
      ids.takeLeaf(pending, shape.remainder, remainder)
      pending = -1
    }
    ids.takeLeaf(leaf, shape.nodes, full)
  }
  if (pending >= 0) ids.takeLeaf(pending, shape.remainder, remainder)
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks] }
}

/** Whole leaves in full pods over one set S* of spines for each L2 index, the remainder pod over a part of it. */
export function inSeveralPods(machine: Machine, state: StateView, index: FreeIndex, search: SeveralPodsSearch, shape: PodShape): Placement {
  const spines = chooseSpines(machine, index, search, shape)
  const podNodes = shape.leaves * machine.wholeLeaf
  const ids = new Ids(machine, state, shape.pods * podNodes + shape.remainderLeaves * machine.wholeLeaf + shape.remainder, 2)
  let pending = search.remainderPod
  const takeRemainderPod = (): void => {
    ids.takeWholeLeaves(index, pending, shape.remainderLeaves, search, shape.remainder)
    ids.takeSpines(pending, spines.remainder)
    pending = -1
  }
  for (let i = 0; i < shape.pods; i++) {
    const pod = search.chosen[i]!
    if (pending >= 0 && pending < pod) takeRemainderPod()
    ids.takeWholeLeaves(index, pod, shape.leaves, undefined, 0)
    ids.takeSpines(pod, spines.full)
  }
  if (pending >= 0) takeRemainderPod()
  return { ok: true, nodes: ids.nodes, links: [ids.leafLinks, ids.l2Links] }
}

/** Slots of every L2 index: S* for full pods, and the part of it that the remainder pod takes. */
function chooseSpines(machine: Machine, index: FreeIndex, search: SeveralPodsSearch, shape: PodShape): { full: Int32Array, remainder: Int32Array } {
  const { l2PerPod, l2Words, leafCables } = machine
  const common = search.common(shape)
  const remainder = new Int32Array(common.length)
  const reachable = new Int32Array(l2Words)
  for (let i = 0; search.remainderPod >= 0 && i < l2PerPod; i++) {
    const slots = (search.remainderPod * l2PerPod + i) * l2Words
    for (let word = 0; word < l2Words; word++) reachable[word] = common[i * l2Words + word]! & index.l2Slots[slots + word]!
    addLowest(reachable, 0, remainder, i * l2Words, l2Words, remainderSpines(search, shape, leafCables, i))
  }
  const full = remainder.slice()
  for (let i = 0; i < l2PerPod; i++) {
    const have = search.remainderPod >= 0 ? remainderSpines(search, shape, leafCables, i) : 0
    addLowest(common, i * l2Words, full, i * l2Words, l2Words, shape.leaves * leafCables - have)
  }
  return { full, remainder }
}

function remainderSpines(search: SeveralPodsSearch, shape: PodShape, leafCables: number, i: number): number {
  return shape.remainderLeaves * leafCables + (shape.remainder > 0 ? search.remainderCables[i]! : 0)
}

const NONE = new Int32Array(0)

/** Collects the ids of one placement, leaf after leaf, pod after pod. */
class Ids {
  readonly nodes: Int32Array
  readonly leafLinks: Int32Array
  readonly l2Links: Int32Array
  readonly #machine: Machine
  readonly #state: StateView
  readonly #ofLeaf: Int32Array
  #nodes = 0
  #leafLinks = 0
  #l2Links = 0

  /** A job holds as many uplinks as nodes at each of the `levels` that it spans. */
  constructor(machine: Machine, state: StateView, size: number, levels: number) {
    this.#machine = machine
    this.#state = state
    this.#ofLeaf = new Int32Array(machine.nodesPerLeaf)
    this.nodes = new Int32Array(size)
    this.leafLinks = levels > 0 ? new Int32Array(size) : NONE
    this.l2Links = levels > 1 ? new Int32Array(size) : NONE
  }

  takeNodes(leaf: number, count: number): void {
    this.#state.freeNodeIds(leaf, this.#ofLeaf)
    for (let i = 0; i < count; i++) this.nodes[this.#nodes++] = this.#ofLeaf[i]!
  }

  takeLeaf(leaf: number, count: number, slots: Int32Array): void {
    const { l2PerPod, leafCables, leafWords, leafPorts } = this.#machine
    this.takeNodes(leaf, count)
    this.#leafLinks = appendPorts(
      slots, (word) => this.#state.portMask(0, leaf, word), l2PerPod, leafCables, leafWords, leaf * leafPorts, this.leafLinks, this.#leafLinks,
    )
  }

  /** The first `count` whole leaves of a pod and, where `search` names one, its remainder leaf in its place. */
  takeWholeLeaves(index: FreeIndex, pod: number, count: number, search: SeveralPodsSearch | undefined, remainder: number): void {
    const { leavesPerPod, leafPorts, wholeLeaf } = this.#machine
    let left = count
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      if (search !== undefined && leaf === search.remainderLeaf) {
        this.takeLeaf(leaf, remainder, this.#remainderSlots(index, leaf, search))
      } else if (left > 0 && index.usable[leaf] === wholeLeaf) {
        left--
        this.takeNodes(leaf, wholeLeaf)
        for (let port = 0; port < leafPorts; port++) this.leafLinks[this.#leafLinks++] = leaf * leafPorts + port
      }
    }
  }

  /** As many cables to each L2 index as the search settled on. */
  #remainderSlots(index: FreeIndex, leaf: number, search: SeveralPodsSearch): Int32Array {
    const { l2PerPod, leafCables, leafWords } = this.#machine
    const slots = new Int32Array(leafWords)
    for (let i = 0; i < l2PerPod; i++) {
      let left = search.remainderCables[i]!
      for (let slot = i; left > 0 && slot < l2PerPod * leafCables; slot += l2PerPod) {
        if (((index.leafSlots[leaf * leafWords + (slot >>> 5)]! >>> (slot & 31)) & 1) === 0) continue
        slots[slot >>> 5]! |= 1 << (slot & 31)
        left--
      }
    }
    return slots
  }

  takeSpines(pod: number, slots: Int32Array): void {
    const { l2PerPod, spinesPerL2, l2Cables, l2Words, l2Ports } = this.#machine
    for (let i = 0; i < l2PerPod; i++) {
      const sw = pod * l2PerPod + i
      this.#l2Links = appendPorts(
        slots.subarray(i * l2Words, (i + 1) * l2Words), (word) => this.#state.portMask(1, sw, word),
        spinesPerL2, l2Cables, l2Words, sw * l2Ports, this.l2Links, this.#l2Links,
      )
    }
  }
}
