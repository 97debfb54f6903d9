/** Counts the steps of a bounded search: every leaf or pod that it tries is one. */
export class Budget {
  steps = 0
  /** Whether a step was asked for that there was none left for. */
  spent = false
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a step; false once there are none left. */
  spend(): boolean {
    if (this.steps < this.#limit) this.steps++
    else this.spent = true
    return !this.spent
  }

  renew(): void {
    this.steps = 0
    this.spent = false
  }
}
