import { Effect } from 'effect'
import { Terminal } from './terminal.ts'

/** Shortest time between two shown lines of progress, in ms. */
const INTERVAL = 100

/** Progress of a long step, as one line on standard error. Shows nothing if standard error is no terminal. */
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

  /** Removes the line of progress from the terminal until the next call of `show`. */
  clear(): void {
    if (this.#shownAt >= 0) this.#terminal.showStatus('')
  }
}

export const makeProgress: Effect.Effect<Progress, never, Terminal> = Effect.map(
  Terminal,
  (terminal) => new Progress(terminal),
)

/** Returns a line of progress, for example `checking: 40 %`. */
export function share(label: string, done: number, total: number): string {
  return `${label} ${Math.floor((100 * done) / total)} %`
}
