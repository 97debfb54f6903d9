import { int32 } from './column.ts'

/** Lists of nodes, all in one array: ranges of ids, a first and a last one each. A list never changes. */
export class NodeLists {
  readonly #ranges = int32()
  /** Where each list begins, and after them all where the last one ends. */
  readonly #starts = int32()

  constructor() {
    this.#starts.push(0)
  }

  /**
   * @param nodes ascending
   * @returns the number of the list
   */
  add(nodes: ArrayLike<number>): number {
    for (let at = 0; at < nodes.length;) {
      const first = at
      while (at + 1 < nodes.length && nodes[at + 1] === nodes[at] + 1) at++
      this.#ranges.push(nodes[first])
      this.#ranges.push(nodes[at++])
    }
    this.#starts.push(this.#ranges.length)
    return this.#starts.length - 2
  }

  /** How many nodes it has. */
  sizeOf(list: number): number {
    let size = 0
    for (let at = this.#starts.at(list); at < this.#starts.at(list + 1); at += 2)
      size += this.#ranges.at(at + 1) - this.#ranges.at(at) + 1
    return size
  }

  /** Ascending. */
  nodesOf(list: number): Int32Array {
    const nodes = new Int32Array(this.sizeOf(list))
    let next = 0
    for (let at = this.#starts.at(list); at < this.#starts.at(list + 1); at += 2)
      for (let node = this.#ranges.at(at); node <= this.#ranges.at(at + 1); node++) nodes[next++] = node
    return nodes
  }
}
