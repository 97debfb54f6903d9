import type { TreeShape } from '../tree/tree-shape.ts'
import { count, countCommon } from '../tree/slots.ts'

/**
 * Drops pods that cannot be among those wanted. Of `pods` pods that have enough slots in common, every such slot is free in
 * `pods` of the candidates: slots that are free in fewer do not count, a candidate with too few that do count is none, and
 * without it others may fall. What is left may still have no solution; nothing that is dropped was part of one.
 */
export class PodFilter {
  readonly #tree: TreeShape
  readonly #rowWords: number
  /** Slots that are free in enough candidates. */
  readonly #counting: Int32Array
  /** Bit b of how many candidates have a slot, slot by slot. */
  readonly #planes: Int32Array

  constructor(tree: TreeShape) {
    this.#tree = tree
    this.#rowWords = tree.l2PerPod * tree.l2Words
    this.#counting = new Int32Array(this.#rowWords)
    this.#planes = new Int32Array(33 - Math.clz32(tree.pods))
  }

  /**
   * @param candidates pods, of which `length` from `from` on; those that stay are moved to the front, in their order
   * @param common slots that count at all, a row from `atCommon` on
   * @param pods how many are wanted, at least 1
   * @param slots how many they must have in common at each L2 index
   * @returns how many candidates stay: 0 where they are fewer than wanted
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

  /** False where at some L2 index too few slots count. */
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

  /** Slots whose count is at least so many. */
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
