import type { StateView } from '@cloister/placement'
import type { FreeIndex } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'
import type { SeveralPodsSearch } from './several-pods.ts'
import { appendBits, appendPorts } from './slots.ts'

const NONE: Array<number> = []

/** Collects the ids of the nodes and links of one placement, leaf by leaf and pod by pod. */
export class PlacementIds {
  readonly nodes: Array<number>
  readonly leafLinks: Array<number>
  readonly l2Links: Array<number>
  readonly #tree: TreeShape
  readonly #state: StateView
  #nodes = 0
  #leafLinks = 0
  #l2Links = 0

  /** The numbers are the placement's nodes, leaf uplinks and L2 uplinks. */
  constructor(tree: TreeShape, state: StateView, nodes: number, leafLinks: number = 0, l2Links: number = 0) {
    this.#tree = tree
    this.#state = state
    // Most placements are discarded, and plain arrays are faster to make than typed arrays.
    this.nodes = new Array<number>(nodes)
    this.leafLinks = leafLinks > 0 ? new Array<number>(leafLinks) : NONE
    this.l2Links = l2Links > 0 ? new Array<number>(l2Links) : NONE
  }

  takeNodes(leaf: number, count: number): void {
    const first = this.#tree.topology.firstNodeOfLeaf[leaf]
    for (let word = 0, left = count; left > 0; word++) {
      for (let mask = this.#state.nodeMask(leaf, word); mask !== 0 && left > 0; mask &= mask - 1, left--)
        this.nodes[this.#nodes++] = first + (word << 5) + 31 - Math.clz32(mask & -mask)
    }
  }

  /** Takes the first `count` free nodes of a leaf, and one uplink for each slot in the mask `slots`. */
  takeLeaf(leaf: number, count: number, slots: Int32Array): void {
    const { l2PerPod, leafCables, leafWords, leafPorts } = this.#tree
    this.takeNodes(leaf, count)
    const first = leaf * leafPorts
    const at = this.#leafLinks
    this.#leafLinks =
      leafCables === 1
        ? appendBits(slots, 0, leafWords, first, this.leafLinks, at)
        : appendPorts(
            slots,
            (word) => this.#state.portMask(0, leaf, word),
            l2PerPod,
            leafCables,
            leafWords,
            first,
            this.leafLinks,
            at,
          )
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
    const { leavesPerPod, leafPorts, wholeLeaf } = this.#tree
    let left = count
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      if (search !== undefined && leaf === search.remainderLeaf) {
        this.takeLeaf(leaf, remainder, this.slotsTo(index, leaf, search.remainderCables))
      } else if (left > 0 && index.usable[leaf] === wholeLeaf) {
        left--
        this.takeNodes(leaf, wholeLeaf)
        for (let port = 0; port < leafPorts; port++) this.leafLinks[this.#leafLinks++] = leaf * leafPorts + port
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
    const { l2PerPod, spinesPerL2, l2Cables, l2Words, l2Ports } = this.#tree
    for (let i = 0; i < l2PerPod; i++) {
      const sw = pod * l2PerPod + i
      const first = sw * l2Ports
      const at = this.#l2Links
      this.#l2Links =
        l2Cables === 1
          ? appendBits(slots, i * l2Words, l2Words, first, this.l2Links, at)
          : appendPorts(
              slots.subarray(i * l2Words, (i + 1) * l2Words),
              (word) => this.#state.portMask(1, sw, word),
              spinesPerL2,
              l2Cables,
              l2Words,
              first,
              this.l2Links,
              at,
            )
    }
  }
}
