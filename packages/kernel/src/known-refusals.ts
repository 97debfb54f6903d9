/**
 * Request keys that a policy has refused in a state. The memory is sound only for monotone policies, and only until
 * nodes or links become free: call `forget()` then. Keys are small integers; -1 is never remembered.
 */
export class KnownRefusals {
  #epoch = 1
  #refusedIn: Int32Array = new Int32Array(1024)

  has(key: number): boolean {
    return key >= 0 && this.#refusedIn[key] === this.#epoch
  }

  add(key: number): void {
    if (key < 0) return
    if (key >= this.#refusedIn.length) {
      const grown = new Int32Array(2 * key)
      grown.set(this.#refusedIn)
      this.#refusedIn = grown
    }
    this.#refusedIn[key] = this.#epoch
  }

  forget(): void {
    this.#epoch++
  }
}
