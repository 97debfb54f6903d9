import type { StateView } from '@cloister/placement'

/** Leaves in ascending order of a key, of equal keys the lowest id first: a binary heap, for jobs need few of many leaves. */
export class LeafHeap {
  #size = 0
  readonly #leaves: Int32Array
  readonly #keys: Float64Array

  /** @param capacity the most leaves that it is filled with */
  constructor(capacity: number) {
    this.#leaves = new Int32Array(capacity)
    this.#keys = new Float64Array(capacity)
  }

  /** Begins anew with those of the leaves that have free nodes. */
  fill(state: StateView, leaves: Int32Array, keyOf: (leaf: number) => number): void {
    this.#size = 0
    for (let i = 0; i < leaves.length; i++) {
      if (state.freeNodesOnLeaf(leaves[i]) === 0) continue
      this.#leaves[this.#size] = leaves[i]
      this.#keys[this.#size] = keyOf(leaves[i])
      this.#size++
    }
    for (let i = (this.#size >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  /** Takes the next leaf; -1 when none is left. */
  next(): number {
    if (this.#size === 0) return -1
    const leaf = this.#leaves[0]
    this.#size--
    this.#leaves[0] = this.#leaves[this.#size]
    this.#keys[0] = this.#keys[this.#size]
    this.#sink(0)
    return leaf
  }

  #sink(from: number): void {
    const leaf = this.#leaves[from]
    const key = this.#keys[from]
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.#size) break
      if (child + 1 < this.#size && this.#isBefore(child + 1, this.#keys[child], this.#leaves[child])) child++
      if (!this.#isBefore(child, key, leaf)) break
      this.#leaves[at] = this.#leaves[child]
      this.#keys[at] = this.#keys[child]
      at = child
    }
    this.#leaves[at] = leaf
    this.#keys[at] = key
  }

  #isBefore(at: number, key: number, leaf: number): boolean {
    return this.#keys[at] < key || (this.#keys[at] === key && this.#leaves[at] < leaf)
  }
}
