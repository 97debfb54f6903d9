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

/** Numbers of a job, stored in columns, because most jobs have different numbers. */
const ownNumbers = ['priority', 'gpus', 'arrayTask', 'hetOffset'] as const
/** Ids of groups of jobs, stored in columns as numbers. An id that is no plain number is stored as a shared label. */
const ids = ['array', 'hetJob'] as const

type Mutable<Of> = { -readonly [Name in keyof Of]: Of[Name] }

/** Returns the number that an id spells; -1 for another id. */
function plainNumber(id: string | undefined): number {
  return id !== undefined && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : -1
}

/** Labels of jobs. The labels of a job are stored in columns, except labels that many jobs share, which are stored once. */
export class Labels {
  readonly #shared: Array<JobLabels> = []
  readonly #places = new Map<string, number>()
  readonly #place = new Column(Int32Array)
  readonly #numbers = ownNumbers.map((name) => [name, new Column(Float64Array)] as const)
  readonly #ids = ids.map((name) => [name, new Column(Float64Array)] as const)
  /** Names of jobs, which are rarely equal, by the number of the labels. */
  readonly #names = new Map<number, string>()

  /** Adds the labels of a job, and returns a number for `at`. */
  add(labels: JobLabels): number {
    const number = this.#place.length
    let rest = ''
    for (const [each, column] of this.#ids) {
      const id = plainNumber(labels[each])
      column.push(id)
      if (id < 0 && labels[each] !== undefined) rest += `${each} ${labels[each]}\n`
    }
    // A key of the usual labels, joined by hand: JSON of an object for each job would take three times as long.
    const { user, account, queue, qos, advanceReservation, bandwidth, communication } = labels
    if (bandwidth !== undefined || communication !== undefined) rest += JSON.stringify([bandwidth, communication])
    const key = [user, account, queue, qos, advanceReservation, rest].join('\0')
    let place = this.#places.get(key)
    if (place === undefined) {
      place = this.#shared.push(sharedOf(labels)) - 1
      this.#places.set(key, place)
    }
    this.#place.push(place)
    if (labels.name !== undefined) this.#names.set(number, labels.name)
    for (const [each, column] of this.#numbers) column.push(labels[each] ?? -1)
    return number
  }

  at(number: number): JobLabels {
    const labels: Mutable<JobLabels> = { ...this.#shared[this.#place.at(number)] }
    const name = this.#names.get(number)
    if (name !== undefined) labels.name = name
    for (const [each, column] of this.#numbers) if (column.at(number) >= 0) labels[each] = column.at(number)
    for (const [each, column] of this.#ids) if (column.at(number) >= 0) labels[each] = String(column.at(number))
    return labels
  }
}

/** Returns the labels that are stored once, although many jobs have them. */
function sharedOf(labels: JobLabels): JobLabels {
  const shared: Mutable<JobLabels> = { ...labels }
  delete shared.name
  for (const each of ownNumbers) delete shared[each]
  for (const each of ids) if (plainNumber(shared[each]) >= 0) delete shared[each]
  return shared
}
