/** What was in common after choices that failed, uplinks and spines, as masks. The latest are forgotten first. */
export class Failures {
  count = 0
  readonly #uplinkWords: number
  readonly #spineWords: number
  #uplinks: Int32Array
  #spines: Int32Array

  constructor(uplinkWords: number, spineWords: number) {
    this.#uplinkWords = uplinkWords
    this.#spineWords = spineWords
    this.#uplinks = new Int32Array(64 * uplinkWords)
    this.#spines = new Int32Array(64 * spineWords)
  }

  add(uplinks: Int32Array, atUplinks: number, spines: Int32Array, atSpines: number): void {
    const { count } = this
    if ((count + 1) * this.#uplinkWords > this.#uplinks.length) {
      this.#uplinks = doubled(this.#uplinks)
      this.#spines = doubled(this.#spines)
    }
    for (let word = 0; word < this.#uplinkWords; word++) this.#uplinks[count * this.#uplinkWords + word] = uplinks[atUplinks + word]
    for (let word = 0; word < this.#spineWords; word++) this.#spines[count * this.#spineWords + word] = spines[atSpines + word]
    this.count++
  }

  /** Whether all of this was in common after one of the failures from `first` on. */
  cover(first: number, uplinks: Int32Array, atUplinks: number, spines: Int32Array, atSpines: number): boolean {
    for (let failure = first; failure < this.count; failure++) {
      if (isWithin(uplinks, atUplinks, this.#uplinks, failure * this.#uplinkWords, this.#uplinkWords)
        && isWithin(spines, atSpines, this.#spines, failure * this.#spineWords, this.#spineWords)) return true
    }
    return false
  }

  forget(from: number): void {
    this.count = from
  }
}

function isWithin(part: Int32Array, atPart: number, whole: Int32Array, atWhole: number, words: number): boolean {
  for (let word = 0; word < words; word++) if ((part[atPart + word] & ~whole[atWhole + word]) !== 0) return false
  return true
}

function doubled(array: Int32Array): Int32Array {
  const larger = new Int32Array(2 * array.length)
  larger.set(array)
  return larger
}
