/**
 * Binary heap of integers in ascending order of a key; among equal keys, the lowest integer comes first. An integer may
 * occur several times.
 *
 * @example
 * const ends = new KeyedHeap()
 * ends.push(3.5, 7)
 * ends.push(1, 9)
 * ends.pop() // 9
 */
export class KeyedHeap {
  #size = 0
  #keys: Float64Array
  #items: Int32Array

  /** @param capacity number of integers that the heap holds before its arrays grow for the first time */
  constructor(capacity = 64) {
    this.#keys = new Float64Array(capacity)
    this.#items = new Int32Array(capacity)
  }

  /** Lowest key; Infinity if the heap is empty. */
  get firstKey(): number {
    return this.#size === 0 ? Infinity : this.#keys[0]
  }

  /** Integer with the lowest key; -1 if the heap is empty. */
  get first(): number {
    return this.#size === 0 ? -1 : this.#items[0]
  }

  clear(): void {
    this.#size = 0
  }

  /** Adds an integer with its key and keeps the order of the heap, in O(log n). */
  push(key: number, item: number): void {
    let at = this.#size
    this.append(key, item)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#isBefore(key, item, parent)) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(at, key, item)
  }

  /** Adds an integer without keeping the order of the heap. Call `order` before the next read or `pop`. */
  append(key: number, item: number): void {
    if (this.#size === this.#keys.length) this.#grow()
    this.#put(this.#size, key, item)
    this.#size++
  }

  /** Restores the order of the heap after calls of `append`, in O(n). */
  order(): void {
    for (let at = (this.#size >>> 1) - 1; at >= 0; at--) this.#sink(at)
  }

  /** Removes and returns the integer with the lowest key; returns -1 if the heap is empty. */
  pop(): number {
    if (this.#size === 0) return -1
    const item = this.#items[0]
    this.#size--
    this.#move(this.#size, 0)
    this.#sink(0)
    return item
  }

  #sink(from: number): void {
    const key = this.#keys[from]
    const item = this.#items[from]
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.#size) break
      if (child + 1 < this.#size && this.#isBefore(this.#keys[child + 1], this.#items[child + 1], child)) child++
      if (this.#isBefore(key, item, child)) break
      this.#move(child, at)
      at = child
    }
    this.#put(at, key, item)
  }

  #isBefore(key: number, item: number, at: number): boolean {
    const other = this.#keys[at]
    return key !== other ? key < other : item < this.#items[at]
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from]
    this.#items[to] = this.#items[from]
  }

  #put(at: number, key: number, item: number): void {
    this.#keys[at] = key
    this.#items[at] = item
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length + 1)
    const items = new Int32Array(keys.length)
    keys.set(this.#keys)
    items.set(this.#items)
    this.#keys = keys
    this.#items = items
  }
}
