import type { StateView } from '@cloister/placement'
import { KeyedHeap } from '@cloister/topology'

/** Leaves in ascending order of a key, of equal keys the lowest id first: a heap, for jobs need few of many leaves. */
export class LeafHeap {
  readonly #heap: KeyedHeap

  /** @param capacity the most leaves that it is filled with */
  constructor(capacity: number) {
    this.#heap = new KeyedHeap(capacity)
  }

  /** Begins anew with those of the leaves that have free nodes. */
  fill(state: StateView, leaves: Int32Array, keyOf: (leaf: number) => number): void {
    this.#heap.clear()
    for (let i = 0; i < leaves.length; i++)
      if (state.freeNodesOnLeaf(leaves[i]) > 0) this.#heap.append(keyOf(leaves[i]), leaves[i])
    this.#heap.order()
  }

  /** Takes the next leaf; -1 when none is left. */
  next(): number {
    return this.#heap.pop()
  }
}
