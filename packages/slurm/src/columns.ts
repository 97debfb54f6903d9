import type { JobLabels } from '@cloister/trace-io'

type Numbers = Float64Array | Int32Array | Uint8Array

/** Growing list of numbers in a typed array. */
export class Column {
  length = 0
  #values: Numbers
  readonly #Kind: new (length: number) => Numbers

  /** @param Kind kind of the typed array, such as `Int32Array` */
  constructor(Kind: new (length: number) => Numbers) {
    this.#Kind = Kind
    this.#values = new Kind(64)
  }

  at(index: number): number {
    return this.#values[index]
  }

  /** Sets the number at an index; the index `length` appends the number. */
  set(index: number, value: number): void {
    if (index === this.length) this.push(value)
    else this.#values[index] = value
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new this.#Kind(Math.ceil(this.length * 1.5))
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }
}

/** Lists of nodes, stored in one array of ranges, each with a first and a last node id. A list never changes. */
export class NodeLists {
  readonly #ranges = new Column(Int32Array)
  /** Index in `#ranges` of the first entry of each list, then the length of `#ranges`. */
  readonly #starts = new Column(Int32Array)

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

/** Users, accounts, queues and names of jobs. Equal labels without a job name are stored once. */
export class Labels {
  readonly #all: Array<JobLabels> = []
  readonly #numbers = new Map<string, number>()

  add(labels: JobLabels): number {
    // Labels with a job name are not compared with earlier labels, because names of jobs are rarely equal.
    if (labels.name !== undefined) return this.#all.push(labels) - 1
    const key = JSON.stringify(labels)
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.#all.push(labels) - 1
      this.#numbers.set(key, number)
    }
    return number
  }

  at(number: number): JobLabels {
    return this.#all[number]
  }
}
