import {
  type Json,
  lowBits,
  type MaskBuilder,
  MaskedPlacement,
  type Placement,
  type StateView,
} from '@cloister/placement'
import type { FreeIndex } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'
import type { SeveralPodsSearch } from './several-pods.ts'
import { chosenPorts } from './slots.ts'

/** Collects the nodes and links of one placement, leaf by leaf and pod by pod, both in ascending order. */
export class PlacementMasks {
  readonly #tree: TreeShape
  readonly #state: StateView
  readonly #masks: MaskBuilder

  constructor(tree: TreeShape, state: StateView) {
    this.#tree = tree
    this.#state = state
    this.#masks = tree.masks
  }

  /** Returns the placement of everything that was taken. */
  placement(note?: Json): Placement {
    return new MaskedPlacement(this.#masks.take(), note === undefined ? {} : { note })
  }

  /** Takes the first `count` free nodes of a leaf. */
  takeNodes(leaf: number, count: number): void {
    this.#masks.addFreeNodes(this.#state, leaf, count)
  }

  /** Takes the first `count` free nodes of a leaf, and one uplink for each slot in the mask `slots`. */
  takeLeaf(leaf: number, count: number, slots: Int32Array): void {
    const { l2PerPod, leafCables, leafWords } = this.#tree
    this.takeNodes(leaf, count)
    const ports =
      leafCables === 1
        ? slots
        : chosenPorts(slots, (word) => this.#state.portMask(0, leaf, word), l2PerPod, leafCables, leafWords)
    for (let word = 0; word < leafWords; word++) this.#masks.addLinks(0, leaf, word, ports[word])
  }

  /**
   * Takes the first `count` whole leaves of a pod and, in the order of ids, `remainder` nodes of the search's remainder
   * leaf.
   */
  takeWholeLeaves(
    index: FreeIndex,
    pod: number,
    count: number,
    search: SeveralPodsSearch | undefined,
    remainder: number,
  ): void {
    const { leavesPerPod, leafPorts, leafWords, wholeLeaf } = this.#tree
    let left = count
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      if (search !== undefined && leaf === search.remainderLeaf) {
        this.takeLeaf(leaf, remainder, this.slotsTo(index, leaf, search.remainderCables))
      } else if (left > 0 && index.usable[leaf] === wholeLeaf) {
        left--
        this.takeNodes(leaf, wholeLeaf)
        for (let word = 0; word < leafWords; word++)
          this.#masks.addLinks(0, leaf, word, lowBits(Math.min(32, leafPorts - (word << 5))))
      }
    }
  }

  /** Returns free slots of a leaf: as many to each L2 index as `cables` says. */
  slotsTo(index: FreeIndex, leaf: number, cables: ArrayLike<number>): Int32Array {
    const { l2PerPod, leafCables, leafWords } = this.#tree
    const slots = new Int32Array(leafWords)
    for (let i = 0; i < l2PerPod; i++) {
      let left = cables[i]
      for (let slot = i; left > 0 && slot < l2PerPod * leafCables; slot += l2PerPod) {
        if (((index.leafSlots[leaf * leafWords + (slot >>> 5)] >>> (slot & 31)) & 1) === 0) continue
        slots[slot >>> 5] |= 1 << (slot & 31)
        left--
      }
    }
    return slots
  }

  /** Takes, at each L2 switch of a pod, one spine link for each slot in the mask `slots`. */
  takeSpines(pod: number, slots: Int32Array): void {
    const { l2PerPod, spinesPerL2, l2Cables, l2Words } = this.#tree
    for (let i = 0; i < l2PerPod; i++) {
      const sw = pod * l2PerPod + i
      if (l2Cables === 1) {
        for (let word = 0; word < l2Words; word++) this.#masks.addLinks(1, sw, word, slots[i * l2Words + word])
        continue
      }
      const own = slots.subarray(i * l2Words, (i + 1) * l2Words)
      const ports = chosenPorts(own, (word) => this.#state.portMask(1, sw, word), spinesPerL2, l2Cables, l2Words)
      for (let word = 0; word < l2Words; word++) this.#masks.addLinks(1, sw, word, ports[word])
    }
  }
}
