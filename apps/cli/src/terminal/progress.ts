import { Effect } from 'effect'
import { Json } from './output.ts'
import { count, decimal, duration } from './quantities.ts'
import { Terminal } from './terminal.ts'

/** Time from the begin of a step to the first line of progress, and shortest time between two lines, in ms. */
const [DELAY, INTERVAL] = [1000, 100]

type Watched = Pick<Terminal['Service'], 'isWatched' | 'columns' | 'showStatus'>

/** Progress of a long step, as one line on standard error. Shows nothing if standard error is no terminal. */
export class Progress {
  readonly #terminal: Watched
  readonly #now: () => number
  #began: number | undefined
  #shownAt = -Infinity
  #share = 0

  /** @param now clock in ms */
  constructor(terminal: Watched, now: () => number = () => performance.now()) {
    this.#terminal = terminal
    this.#now = now
  }

  /**
   * Shows a line such as `reading run.ndjson: 40 %, 120,000 records a second, 12 s left`. The clock begins again if the
   * share is smaller than before.
   *
   * @param share part of the work that is done, 0 to 1; another value if the whole work is unknown
   * @param done number of things that are done @param things name of several things, such as `records`
   */
  show(label: string, share: number, done: number, things: string): void {
    if (!this.#terminal.isWatched) return
    const now = this.#now()
    if (share < this.#share) this.#began = undefined
    this.#share = share
    this.#began ??= now
    if (done === 0 || now - this.#began < DELAY || now - this.#shownAt < INTERVAL) return
    this.#shownAt = now
    const line = `${label} ${describeProgress((now - this.#began) / 1000, share, done, things)}`
    this.#terminal.showStatus(line.slice(0, this.#terminal.columns - 1))
  }

  /** Removes the line of progress from the terminal until the next call of `show`. */
  clear(): void {
    if (this.#shownAt >= 0) this.#terminal.showStatus('')
  }
}

/** Progress of a step of a command, on the terminal of this process. Shows nothing under --json. */
export const makeProgress: Effect.Effect<Progress, never, Terminal> = Effect.gen(function* () {
  const terminal = yield* Terminal
  return new Progress((yield* Json).isAsked ? { ...terminal, isWatched: false } : terminal)
})

/** Returns the share, the rate and the time left after `seconds` of work. */
function describeProgress(seconds: number, share: number, done: number, things: string): string {
  const [period, length] = periods.find(([, length]) => done * length >= seconds) ?? periods[2]
  const rate = (done * length) / seconds
  const speed = `${rate < 10 ? decimal(rate, 1) : count(Math.round(rate))} ${things} ${period}`
  if (!(share > 0 && share <= 1)) return `${count(done)} ${things}, ${speed}`
  return `${Math.floor(share * 100)} %, ${speed}, ${duration(Math.ceil(seconds * (1 / share - 1)))} left`
}

/** Periods of rates, with their lengths in s. A rate is given for the first period with at least one thing. */
const periods = [
  ['a second', 1],
  ['a minute', 60],
  ['an hour', 3600],
] as const
