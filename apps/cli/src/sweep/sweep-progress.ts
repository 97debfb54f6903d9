import { type RunSpec, specKey } from '@cloister/run'
import type { Progress } from '../terminal/progress.ts'
import { duration } from '../terminal/quantities.ts'

const barWidth = 30

/** Progress bar of an experiment, over all cells. */
export class SweepProgress {
  readonly #progress: Progress
  readonly #cells: number
  readonly #began = performance.now()
  /** Progress of each running cell, 0 to 1, by the key of the cell. */
  readonly #shares = new Map<string, number>()
  #done = 0

  constructor(cells: number, progress: Progress) {
    this.#cells = cells
    this.#progress = progress
  }

  update(cell: RunSpec, share: number): void {
    this.#shares.set(specKey(cell), share)
    this.#progress.show(() => this.#line())
  }

  finished(cell: RunSpec): void {
    this.#shares.delete(specKey(cell))
    this.#done++
    this.#progress.show(() => this.#line())
  }

  /** Removes the progress bar until the next call of `update` or `finished`. */
  clear(): void {
    this.#progress.clear()
  }

  #line(): string {
    const share = [...this.#shares.values()].reduce((sum, each) => sum + each, this.#done) / this.#cells
    const left = share === 0 ? '' : `, ${duration(((performance.now() - this.#began) / 1000) * (1 / share - 1))} left`
    const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '.')
    return `[${bar}] ${this.#done} of ${this.#cells} runs, ${Math.floor(share * 100)} %${left}`
  }
}
