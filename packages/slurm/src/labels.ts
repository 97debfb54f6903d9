import type { JobLabels } from '@cloister/trace-io'

/** Labels of jobs: users, accounts, queues and names. Equal labels without a name are kept once. */
export class Labels {
  readonly #all: Array<JobLabels> = []
  readonly #numbers = new Map<string, number>()

  /** Adds labels, and returns their number. */
  add(labels: JobLabels): number {
    // Names of jobs are rarely equal.
    if (labels.name !== undefined) return this.#all.push(labels) - 1
    const key = JSON.stringify(labels)
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.#all.push(labels) - 1
      this.#numbers.set(key, number)
    }
    return number
  }

  at(number: number): JobLabels {
    return this.#all[number]
  }
}
