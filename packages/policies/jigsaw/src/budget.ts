/** Counts the steps of a bounded search: every leaf or pod that it tries is one. */
export class Budget {
  steps = 0
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a step; false once there are none left. */
  spend(): boolean { return ++this.steps <= this.#limit }
  get spent(): boolean { return this.steps > this.#limit }
  renew(): void { this.steps = 0 }
}
