import type { StateView } from '@cloister/placement'
import { KeyedHeap } from '@cloister/topology'

/**
 * Leaves in ascending order of a key, then of ids. A job needs few of many leaves, so a heap is faster than sorting all
 * leaves.
 */
export class LeafHeap {
  readonly #heap: KeyedHeap

  constructor(capacity: number) {
    this.#heap = new KeyedHeap(capacity)
  }

  /** Replaces the leaves of the heap by the given leaves that have free nodes. */
  fill(state: StateView, leaves: Int32Array, keyOf: (leaf: number) => number): void {
    this.#heap.clear()
    for (let i = 0; i < leaves.length; i++)
      if (state.freeNodesOnLeaf(leaves[i]) > 0) this.#heap.append(keyOf(leaves[i]), leaves[i])
    this.#heap.order()
  }

  /** Removes and returns the leaf with the lowest key; -1 if the heap is empty. */
  next(): number {
    return this.#heap.pop()
  }
}
