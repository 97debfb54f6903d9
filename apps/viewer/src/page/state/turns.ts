/** Lets only so many of its tasks go on at a time; the others wait in turn. */
export class Turns {
  readonly #most: number
  #taken = 0
  readonly #waiting: Array<() => void> = []

  constructor(most: number) {
    this.#most = most
  }

  /** @param signal aborted once nobody waits for the task any more: it is then not begun */
  async run<Result>(task: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    if (this.#taken < this.#most) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      signal?.throwIfAborted()
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#taken--
      else next()
    }
  }
}
