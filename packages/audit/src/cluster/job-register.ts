/** Numeric ids below `FEW` + `SPARSEST` × the number of jobs are indices of an array, which therefore stays short. */
const FEW = 1024
const SPARSEST = 4
const MOST_DIGITS = 9
const ZERO = 48

/** Jobs by id. Jobs with numeric ids are in an array, because a `Map` with a million strings is slow. */
export class JobRegister<Job> {
  readonly #numbered: Array<Job | undefined> = []
  readonly #others = new Map<string, Job>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(id: string): Job | undefined {
    const number = numberSpelled(id)
    const job = number < this.#numbered.length ? this.#numbered[number] : undefined
    return job ?? this.#others.get(id)
  }

  /** @param id id of a job, new to the register */
  add(id: string, job: Job): void {
    this.#size++
    const number = numberSpelled(id)
    if (number >= FEW + SPARSEST * this.#size) {
      this.#others.set(id, job)
      return
    }
    while (this.#numbered.length <= number) this.#numbered.push(undefined)
    this.#numbered[number] = job
  }
}

/** Returns the number that an id spells in canonical form with at most 9 digits; Infinity for any other id. */
function numberSpelled(id: string): number {
  const { length } = id
  if (length === 0 || length > MOST_DIGITS || (length > 1 && id.charCodeAt(0) === ZERO)) return Infinity
  let number = 0
  for (let at = 0; at < length; at++) {
    const digit = id.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return Infinity
    number = number * 10 + digit
  }
  return number
}
