import { Draw } from '@cloister/placement/checks'
import type { QueueRows, RunRow, WaitingRow } from './views.ts'

/** Machine, and the scheduling passes of a random queue on it. */
export interface QueueHistory {
  readonly nodes: number
  readonly passes: ReadonlyArray<QueueRows>
}

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const STEPS = 24
/** Step before which the machine stands still for 400 days. */
const GAP = 9
const machines = [16, 1, 7, 1024]
const gaps = [0, 1, 1000, MINUTE, 60 * MINUTE, DAY]
const estimates = [Infinity, 0, 1, 1000, MINUTE, 45 * MINUTE, 60 * MINUTE, 30 * DAY]
const users = [undefined, 'ada', 'bea', 'cem', 'dov']

/**
 * Draws a history: submissions, starts, ends, and killed jobs that wait again. The first jobs are a job of one node and a
 * job of the whole machine, each with the estimates 0 and Infinity. The first view has no jobs.
 */
export function drawHistory(seed: number): QueueHistory {
  const draw = new Draw(seed)
  const nodes = machines[seed % machines.length]
  const extremes = [1, nodes].flatMap((size) => [0, Infinity].map((estimate) => ({ size, estimate })))
  const queue = new DrawnQueue(draw, nodes, draw.pick([0, DAY]))
  const passes: Array<QueueRows> = [queue.rows()]
  for (let step = 0; step < STEPS; step++) {
    queue.wait(step === GAP ? 400 * DAY : draw.pick(gaps))
    if (draw.once(2)) queue.endOne(draw.once(4))
    for (let left = draw.below(4); left > 0; left--)
      queue.submit(extremes.pop() ?? { size: 1 + draw.below(nodes), estimate: draw.pick(estimates) })
    passes.push(queue.rows())
    queue.startSome()
  }
  return { nodes, passes }
}

class DrawnQueue {
  readonly #draw: Draw
  readonly #nodes: number
  #now: number
  #jobs = 0
  #waiting: Array<WaitingRow> = []
  #running: Array<RunRow & { readonly of: WaitingRow }> = []
  readonly #ended: Array<RunRow> = []

  constructor(draw: Draw, nodes: number, now: number) {
    this.#draw = draw
    this.#nodes = nodes
    this.#now = now
  }

  rows(): QueueRows {
    const running = this.#running.map(({ of: _of, ...run }) => run)
    return { now: this.#now, waiting: [...this.#waiting], running, ended: [...this.#ended] }
  }

  wait(time: number): void {
    this.#now += time
  }

  submit(job: { readonly size: number; readonly estimate: number }): void {
    this.#waiting.push({ id: `${this.#jobs++}`, ...job, submitted: this.#now, user: this.#draw.pick(users) })
  }

  /** Ends a run. A killed job waits again, at its old place. */
  endOne(isKilled: boolean): void {
    if (this.#running.length === 0) return
    const [{ of, ...run }] = this.#running.splice(this.#draw.below(this.#running.length), 1)
    this.#ended.push({ ...run, end: this.#now })
    if (isKilled) this.#waiting = [...this.#waiting, of].sort((a, b) => Number(a.id) - Number(b.id))
  }

  startSome(): void {
    let free = this.#nodes - this.#running.reduce((sum, { nodes }) => sum + nodes, 0)
    for (const of of this.#waiting) {
      if (of.size > free || this.#draw.once(3)) continue
      free -= of.size
      const { size: nodes, user, estimate } = of
      this.#running.push({ of, nodes, user, started: this.#now, end: this.#now + estimate })
    }
    const started = new Set(this.#running.map(({ of }) => of))
    this.#waiting = this.#waiting.filter((job) => !started.has(job))
  }
}
