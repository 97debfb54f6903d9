import type { TreeShape } from './tree-shape.ts'
import { count, countCommon } from './slots.ts'

/**
 * Removes candidate pods that are in no solution. A solution has `pods` pods with enough common spine slots. Each
 * common slot is free in at least `pods` candidates: only such slots count. A candidate with too few counting slots is
 * removed, which may make further candidates removable. The remaining pods need not have a solution.
 *
 * The filter counts the candidates of a slot once, and then follows each candidate that goes.
 */
export class PodFilter {
  /** Candidates for the next pod after the first `d` chosen pods, in row `d` of `pods` entries. */
  readonly candidates: Int32Array
  /** Masks, by L2 index, of the slots that the first `d` chosen pods have in common, in row `d`. */
  readonly common: Int32Array
  readonly #tree: TreeShape
  readonly #rowWords: number
  /** Number of bits of a number of pods. */
  readonly #bits: number
  /** Number of candidates of row `d` in which each of 32 slots is free. Bit b of these 32 numbers is one word. */
  readonly #planes: Int32Array
  /** Mask, in row `d`, of the slots of `common` that are free in at least as many candidates as are still wanted. */
  readonly #counting: Int32Array
  /** 1 for each L2 index whose counting slots changed after the last check of the candidates. */
  readonly #isChanged: Uint8Array
  /** Removed candidates that the planes still count. */
  readonly #gone: Int32Array
  #goneLength = 0
  /** L2 index with too few counting slots in the last failed search; the next search looks at the index first. */
  #failedLast = 0

  constructor(tree: TreeShape) {
    const rows = tree.pods + 2
    this.#tree = tree
    this.#rowWords = tree.l2PerPod * tree.l2Words
    this.#bits = 32 - Math.clz32(tree.pods)
    this.candidates = new Int32Array(rows * tree.pods)
    this.common = new Int32Array(rows * this.#rowWords).fill(-1, 0, this.#rowWords)
    this.#planes = new Int32Array(rows * this.#rowWords * this.#bits)
    this.#counting = new Int32Array(rows * this.#rowWords)
    this.#isChanged = new Uint8Array(tree.l2PerPod)
    this.#gone = new Int32Array(tree.pods)
  }

  /**
   * @param depth row of the candidates, and of the slots that may count
   * @param from index in `candidates` of the first of `length` candidates; remaining candidates move to the front, in
   *   their order
   * @param pods number of pods of a solution, at least 1
   * @param slots number of common slots that the pods need at each L2 index
   * @param gone candidate that has left the row since the last call. Without `gone` the row is new.
   * @returns number of remaining candidates; 0 if fewer than `pods` candidates remain
   */
  prune(
    l2Slots: Int32Array,
    depth: number,
    from: number,
    length: number,
    pods: number,
    slots: number,
    gone = -1,
  ): number {
    this.#gone[0] = gone
    this.#goneLength = gone < 0 ? 0 : 1
    this.#isChanged.fill(gone < 0 ? 1 : 0)
    for (let left = length, isNew = gone < 0; left >= pods; isNew = false) {
      if (!this.#recount(l2Slots, depth, from, isNew ? left : 0, pods, slots)) return 0
      const stay = this.#drop(l2Slots, depth, from, left, slots)
      if (stay === left) return left
      left = stay
    }
    return 0
  }

  /** Copies `length` candidates from index `from` on, and the counts of row `depth`, into the next row. */
  descend(depth: number, from: number, length: number): void {
    const { pods } = this.#tree
    const [row, end] = [depth * this.#rowWords, (depth + 1) * this.#rowWords]
    this.candidates.copyWithin((depth + 1) * pods, from, from + length)
    this.#counting.copyWithin(end, row, end)
    this.#planes.copyWithin(end * this.#bits, row * this.#bits, end * this.#bits)
  }

  /**
   * Counts the first `added` candidates if the row is new, and otherwise takes the gone candidates out of the counts.
   * Returns false if fewer than `slots` slots count at some L2 index; the row is then void.
   */
  #recount(l2Slots: Int32Array, depth: number, from: number, added: number, pods: number, slots: number): boolean {
    const { l2PerPod, l2Words } = this.#tree
    const row = depth * this.#rowWords
    for (let tried = 0, i = this.#failedLast; tried < l2PerPod; tried++, i = i + 1 < l2PerPod ? i + 1 : 0) {
      for (let word = i * l2Words; word < (i + 1) * l2Words; word++) {
        if (added > 0) this.#add(l2Slots, word, row + word, from, added)
        else this.#subtract(l2Slots, word, row + word)
        const counting = this.common[row + word] & this.#atLeast(pods, row + word)
        if (counting !== this.#counting[row + word]) this.#isChanged[i] = 1
        this.#counting[row + word] = counting
      }
      if (count(this.#counting, row + i * l2Words, l2Words) < slots) {
        this.#failedLast = i
        return false
      }
    }
    return true
  }

  #add(l2Slots: Int32Array, word: number, cell: number, from: number, length: number): void {
    const first = cell * this.#bits
    for (let plane = first; plane < first + this.#bits; plane++) this.#planes[plane] = 0
    for (let at = from; at < from + length; at++) {
      let carry = l2Slots[this.candidates[at] * this.#rowWords + word]
      for (let plane = first; carry !== 0; plane++) {
        const sum = this.#planes[plane]
        this.#planes[plane] = sum ^ carry
        carry &= sum
      }
    }
  }

  #subtract(l2Slots: Int32Array, word: number, cell: number): void {
    for (let at = 0; at < this.#goneLength; at++) {
      let borrow = l2Slots[this.#gone[at] * this.#rowWords + word]
      for (let plane = cell * this.#bits; borrow !== 0; plane++) {
        const difference = this.#planes[plane] ^ borrow
        this.#planes[plane] = difference
        borrow &= difference
      }
    }
  }

  /** Returns the mask of the slots that are free in at least `least` candidates. */
  #atLeast(least: number, cell: number): number {
    let more = 0
    let equal = -1
    for (let plane = this.#bits - 1; plane >= 0; plane--) {
      const bits = this.#planes[cell * this.#bits + plane]
      if (((least >>> plane) & 1) === 1) equal &= bits
      else {
        more |= equal & bits
        equal &= ~bits
      }
    }
    return more | equal
  }

  /** Removes candidates with fewer than `slots` counting slots at an L2 index. Returns the number of candidates left. */
  #drop(l2Slots: Int32Array, depth: number, from: number, length: number, slots: number): number {
    const { l2PerPod, l2Words } = this.#tree
    const row = depth * this.#rowWords
    let stay = from
    this.#goneLength = 0
    for (let at = from; at < from + length; at++) {
      const pod = this.candidates[at]
      const own = pod * this.#rowWords
      let i = 0
      while (
        i < l2PerPod &&
        (this.#isChanged[i] === 0 ||
          countCommon(this.#counting, row + i * l2Words, l2Slots, own + i * l2Words, l2Words) >= slots)
      )
        i++
      if (i === l2PerPod) this.candidates[stay++] = pod
      else this.#gone[this.#goneLength++] = pod
    }
    this.#isChanged.fill(0)
    return stay - from
  }
}
