import { int32 } from './column.ts'

/** Lists of nodes, stored in one array of ranges, each with a first and a last node id. A list never changes. */
export class NodeLists {
  readonly #ranges = int32()
  /** Index in `#ranges` of the first entry of each list, then the length of `#ranges`. */
  readonly #starts = int32()

  constructor() {
    this.#starts.push(0)
  }

  /** Adds a list of ascending node ids, and returns the number of the list for `sizeOf` and `nodesOf`. */
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

  sizeOf(list: number): number {
    let size = 0
    for (let at = this.#starts.at(list); at < this.#starts.at(list + 1); at += 2)
      size += this.#ranges.at(at + 1) - this.#ranges.at(at) + 1
    return size
  }

  nodesOf(list: number): Int32Array {
    const nodes = new Int32Array(this.sizeOf(list))
    let next = 0
    for (let at = this.#starts.at(list); at < this.#starts.at(list + 1); at += 2)
      for (let node = this.#ranges.at(at); node <= this.#ranges.at(at + 1); node++) nodes[next++] = node
    return nodes
  }
}
