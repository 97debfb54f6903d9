import type { TreeShape } from '../tree/tree-shape.ts'
import { count, countCommon } from '../tree/slots.ts'

/**
 * Removes candidate pods that are in no solution. A solution has `pods` pods with enough common spine slots. Each
 * common slot is free in at least `pods` candidates: only such slots count. A candidate with too few counting slots is
 * removed, which may make further candidates removable. The remaining pods need not have a solution.
 */
export class PodFilter {
  readonly #tree: TreeShape
  readonly #rowWords: number
  /** Mask of the slots that are free in at least `pods` candidates. */
  readonly #counting: Int32Array
  /** Number of candidate pods in which each of 32 slots is free. Word b holds bit b of these 32 numbers. */
  readonly #planes: Int32Array

  constructor(tree: TreeShape) {
    this.#tree = tree
    this.#rowWords = tree.l2PerPod * tree.l2Words
    this.#counting = new Int32Array(this.#rowWords)
    this.#planes = new Int32Array(33 - Math.clz32(tree.pods))
  }

  /**
   * @param candidates has `length` candidate pods from index `from` on; remaining pods move to the front, in their
   *   order
   * @param common has the row of slots that may count from index `atCommon` on
   * @param pods number of pods of a solution, at least 1
   * @param slots number of common slots that the pods need at each L2 index
   * @returns number of remaining candidates; 0 if fewer than `pods` candidates remain
   */
  prune(
    l2Slots: Int32Array,
    candidates: Int32Array,
    from: number,
    length: number,
    common: Int32Array,
    atCommon: number,
    pods: number,
    slots: number,
  ): number {
    for (let left = length; left >= pods;) {
      if (!this.#count(l2Slots, candidates, from, left, common, atCommon, pods, slots)) return 0
      const stay = this.#drop(l2Slots, candidates, from, left, slots)
      if (stay === left) return left
      left = stay
    }
    return 0
  }

  /** Returns false if fewer than `slots` slots count at some L2 index. */
  #count(
    l2Slots: Int32Array,
    candidates: Int32Array,
    from: number,
    length: number,
    common: Int32Array,
    atCommon: number,
    pods: number,
    slots: number,
  ): boolean {
    const { l2PerPod, l2Words } = this.#tree
    for (let i = 0; i < l2PerPod; i++) {
      for (let word = i * l2Words; word < (i + 1) * l2Words; word++) {
        this.#planes.fill(0)
        for (let at = from; at < from + length; at++) {
          let carry = l2Slots[candidates[at] * this.#rowWords + word] & common[atCommon + word]
          for (let plane = 0; carry !== 0; plane++) {
            const sum = this.#planes[plane]
            this.#planes[plane] = sum ^ carry
            carry &= sum
          }
        }
        this.#counting[word] = this.#atLeast(pods)
      }
      if (count(this.#counting, i * l2Words, l2Words) < slots) return false
    }
    return true
  }

  /** Returns the mask of the slots that are free in at least `least` candidates. */
  #atLeast(least: number): number {
    let [more, equal] = [0, -1]
    for (let plane = this.#planes.length - 1; plane >= 0; plane--) {
      const bits = this.#planes[plane]
      if (((least >>> plane) & 1) === 1) equal &= bits
      else {
        more |= equal & bits
        equal &= ~bits
      }
    }
    return more | equal
  }

  #drop(l2Slots: Int32Array, candidates: Int32Array, from: number, length: number, slots: number): number {
    const { l2PerPod, l2Words } = this.#tree
    let stay = from
    for (let at = from; at < from + length; at++) {
      const row = candidates[at] * this.#rowWords
      let i = 0
      while (i < l2PerPod && countCommon(this.#counting, i * l2Words, l2Slots, row + i * l2Words, l2Words) >= slots) i++
      if (i === l2PerPod) candidates[stay++] = candidates[at]
    }
    return stay - from
  }
}
