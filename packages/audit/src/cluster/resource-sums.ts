/** Integer of a resource that is down. */
export const DOWN = 0xffffffff

/** Numbers that an allocation adds to the two sums: signed 32-bit integers. */
export interface Summands {
  readonly first: number
  readonly second: number
}

/**
 * Returns the summands of an allocation of resources that are free and up.
 *
 * @param owned number of resources, from the first on, that get `seq` as their integer; the integers of the others rise by
 *   `bandwidth`
 */
export function summandsOf(resources: Int32Array, owned: number, seq: number, bandwidth: number): Summands {
  let first = 0
  let second = 0
  for (let i = 0; i < owned; i++) {
    first = (first + mixed(2 * resources[i] + 2)) | 0
    second = (second + mixed(2 * resources[i] + 3)) | 0
  }
  first = Math.imul(seq, first)
  second = Math.imul(seq, second)
  for (let i = owned; i < resources.length; i++) {
    first = (first + Math.imul(bandwidth, mixed(2 * resources[i] + 2))) | 0
    second = (second + Math.imul(bandwidth, mixed(2 * resources[i] + 3))) | 0
  }
  return { first, second }
}

/**
 * The two sums of SPEC.md over all resources. The integer of a resource is the seq of the owner's allocate, 0 if free,
 * 0xffffffff if down; for a link shared up to a cap that is not down, the MB/s in use.
 */
export class ResourceSums {
  #first = 0
  #second = 0

  /** Adds the change of a resource's integer, modulo 2^32, to the sums. */
  change(resource: number, from: number, to: number): void {
    const change = to - from
    this.#first = (this.#first + Math.imul(change, mixed(2 * resource + 2))) | 0
    this.#second = (this.#second + Math.imul(change, mixed(2 * resource + 3))) | 0
  }

  /** Adds the summands of an allocation `times` times: 1 at its start, -1 at its end. */
  add({ first, second }: Summands, times: 1 | -1): void {
    this.#first = (this.#first + times * first) | 0
    this.#second = (this.#second + times * second) | 0
  }

  /** Returns the sums in the present state, as little-endian 32-bit integers. */
  bytes(): Uint8Array {
    const view = new DataView(new ArrayBuffer(8))
    view.setInt32(0, this.#first, true)
    view.setInt32(4, this.#second, true)
    return new Uint8Array(view.buffer)
  }
}

/** Returns the weight `mix` of SPEC.md, as a signed integer. */
function mixed(number: number): number {
  let bits = number
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
