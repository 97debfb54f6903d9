import type { LogRecord } from '@cloister/eventlog'

/**
 * Instantaneous utilization in whole percents, sampled at each start and each end of a job, up to the last start. Table
 * 2 of the Jigsaw paper counts in the same way: the bins of the table (95-97, and 98 and more) are of rounded percents,
 * and the samples of the table end with the steady state.
 */
export class InstantaneousPercents {
  readonly #nodes: number
  readonly #sizes = new Map<string, number>()
  #busy = 0
  /** Number of samples of each percent from 0 to 100 until the last start; `#sinceStart` has the later samples. */
  readonly #counts = new Float64Array(101)
  #sinceStart: Array<number> = []

  constructor(nodes: number) {
    this.#nodes = nodes
  }

  add(record: LogRecord): void {
    switch (record.type) {
      case 'submit':
        this.#sizes.set(record.job, record.size)
        break
      case 'allocate':
        this.#sample(this.#sizes.get(record.job)!)
        for (const percent of this.#sinceStart) this.#counts[percent]++
        this.#sinceStart = []
        break
      case 'finish':
      case 'kill':
        this.#sample(-this.#sizes.get(record.job)!)
        break
      default:
    }
  }

  /** Returns the number of samples at 0, 1, …, 100 % utilization. */
  result(): ReadonlyArray<number> {
    return [...this.#counts]
  }

  #sample(change: number): void {
    this.#busy += change
    this.#sinceStart.push(Math.round((100 * this.#busy) / this.#nodes))
  }
}
