/** At most this often, ms. */
const interval = 100

/** A line on standard error that tells how far a long step is; nothing where no terminal shows it. */
export class Progress {
  readonly #label: string
  readonly #isShown: boolean = process.stderr.isTTY === true
  #shownAt = -Infinity

  constructor(label: string) {
    this.#label = label
  }

  update(done: number, total: number): void {
    if (!this.#isShown || performance.now() - this.#shownAt < interval) return
    this.#shownAt = performance.now()
    process.stderr.write(`\r\x1b[K${this.#label} ${Math.floor((100 * done) / total)} %`)
  }

  /** Takes the line away. */
  end(): void {
    if (this.#isShown && this.#shownAt >= 0) process.stderr.write('\r\x1b[K')
  }
}
