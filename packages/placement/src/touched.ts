/** Set of the switches that an operation changed. `take` returns them in ascending order and empties the set. */
export class Touched {
  readonly #marked: Uint8Array
  #list: Array<number> = []
  #ascending = true

  constructor(switches: number) {
    this.#marked = new Uint8Array(switches)
  }

  add(sw: number): void {
    if (this.#marked[sw] === 1) return
    this.#marked[sw] = 1
    if (this.#list.length > 0 && this.#list.at(-1)! > sw) this.#ascending = false
    this.#list.push(sw)
  }

  take(): ReadonlyArray<number> {
    const list = this.#ascending ? this.#list : this.#inOrder()
    for (let i = 0; i < list.length; i++) this.#marked[list[i]] = 0
    this.#list = []
    this.#ascending = true
    return list
  }

  /** If switches were added in no order, they are many, and reading the mark of every switch is faster than sorting. */
  #inOrder(): Array<number> {
    const list: Array<number> = []
    for (let sw = 0; sw < this.#marked.length; sw++) if (this.#marked[sw] === 1) list.push(sw)
    return list
  }
}
