/** Limits the number of tasks that run at a time. Further tasks wait, and run in the order of their calls. */
export class Turns {
  readonly #most: number
  #taken = 0
  readonly #waiting: Array<() => void> = []

  constructor(most: number) {
    this.#most = most
  }

  /** Runs a task when its turn comes. @throws the reason of `signal`, if `signal` is aborted before the task begins */
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
