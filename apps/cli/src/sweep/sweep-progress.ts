import { type RunSpec, specKey } from '@cloister/run'
import { duration } from '../terminal/quantities.ts'

/** At most this often, ms. */
const interval = 200
const barWidth = 30

/** A bar on standard error that tells how far many cells are; nothing where no terminal shows it. */
export class SweepProgress {
  readonly #isShown: boolean = process.stderr.isTTY === true
  readonly #cells: number
  readonly #began = performance.now()
  /** Of the cells that are under way. */
  readonly #shares = new Map<string, number>()
  #done = 0
  #shownAt = -Infinity

  constructor(cells: number) {
    this.#cells = cells
  }

  update(cell: RunSpec, share: number): void {
    this.#shares.set(specKey(cell), share)
    this.#show()
  }

  finished(cell: RunSpec): void {
    this.#shares.delete(specKey(cell))
    this.#done++
    this.#show()
  }

  /** Takes the bar away, for good or until the next update. */
  clear(): void {
    if (this.#isShown && this.#shownAt >= 0) process.stderr.write('\r\x1b[K')
  }

  #show(): void {
    if (!this.#isShown || performance.now() - this.#shownAt < interval) return
    this.#shownAt = performance.now()
    const share = [...this.#shares.values()].reduce((sum, each) => sum + each, this.#done) / this.#cells
    const left = share === 0 ? '' : `, ${duration(((performance.now() - this.#began) / 1000) * (1 / share - 1))} left`
    const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '.')
    process.stderr.write(`\r\x1b[K[${bar}] ${this.#done} of ${this.#cells} runs, ${Math.floor(share * 100)} %${left}`)
  }
}
