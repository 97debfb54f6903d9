import type { JobLabels } from '@cloister/trace-io'

/** Users, accounts, queues and names of jobs. Equal labels without a job name are stored once. */
export class Labels {
  readonly #all: Array<JobLabels> = []
  readonly #numbers = new Map<string, number>()

  add(labels: JobLabels): number {
    // Labels with a job name are not compared with earlier labels, because names of jobs are rarely equal.
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
