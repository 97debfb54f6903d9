import { Effect } from 'effect'
import { Terminal } from './terminal.ts'

/** A line is shown at most this often, ms. */
const INTERVAL = 100

/** Tells how far a long step is; nothing where nobody looks. */
export class Progress {
  readonly #terminal: Terminal['Service']
  #shownAt = -Infinity

  constructor(terminal: Terminal['Service']) {
    this.#terminal = terminal
  }

  show(line: () => string): void {
    if (!this.#terminal.isWatched || performance.now() - this.#shownAt < INTERVAL) return
    this.#shownAt = performance.now()
    this.#terminal.showStatus(line())
  }

  /** Takes the line away, for good or until the next one. */
  clear(): void {
    if (this.#shownAt >= 0) this.#terminal.showStatus('')
  }
}

export const makeProgress: Effect.Effect<Progress, never, Terminal> = Effect.map(
  Terminal,
  (terminal) => new Progress(terminal),
)

/** `checking: 40 %` */
export function share(label: string, done: number, total: number): string {
  return `${label} ${Math.floor((100 * done) / total)} %`
}
