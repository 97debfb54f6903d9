import type { JobLabels } from '@cloister/trace-io'

/** Users, accounts, queues and names of jobs, those that are equal once. */
export class Labels {
  readonly #all: Array<JobLabels> = []
  readonly #numbers = new Map<string, number>()

  /** @returns the number of these labels */
  add(labels: JobLabels): number {
    // Names of jobs are rarely the same.
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
