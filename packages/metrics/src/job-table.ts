import { type ColumnArrays, Columns } from './columns.ts'

/** What a job can be, as the table of jobs numbers it. */
export const jobStates = ['waiting', 'running', 'finished', 'killed', 'rejected', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

const [WAITING, RUNNING, FINISHED, KILLED] = jobStates.keys()

/** How a running job goes on: its rate, in 1/1000 of that at which it runs by itself, since when, and ms of progress made before. */
interface Progress {
  rate: number
  since: number
  made: number
}

/** Times are integer ms; -1: has not happened. */
const kinds = {
  size: Float64Array,
  submit: Float64Array,
  /** How long it is expected to run. */
  estimate: Float64Array,
  /** Since when it waits, or last waited. */
  queued: Float64Array,
  /** Of the last run. */
  start: Float64Array,
  /** Of the last run; of a job that left the queue without a start, the time when it left. */
  end: Float64Array,
  waited: Float64Array,
  /** Run time since `from` of the runs that are over. */
  ran: Float64Array,
  /** By its number among `jobStates`. */
  state: Uint8Array,
}

/**
 * The submitted jobs, by their places in submit order: a column for each figure, since a million objects take most of the time
 * and of the memory in which a log is measured.
 */
export class JobTable {
  /** Events before this time, in ms, count in no figure: the window of the figures begins here. Infinity: it has not begun. */
  from = 0
  readonly #columns = new Columns(kinds)
  /** The idset of the nodes that the current run holds; empty where there is none. */
  readonly nodes: Array<string> = []
  /** Of jobs whose last run changed its rate. */
  readonly #progress = new Map<number, Progress>()

  /** How many there are. */
  get length(): number {
    return this.#columns.length
  }

  /** The columns, which are longer; others once a job is added. */
  get of(): ColumnArrays<typeof kinds> {
    return this.#columns.of
  }

  /** Adds the next job, which waits from `t` on. @param estimate -1: unknown */
  add(size: number, t: number, estimate: number): void {
    const job = this.#columns.add()
    const { of } = this
    of.size[job] = size
    of.estimate[job] = estimate
    of.submit[job] = of.queued[job] = t
    of.start[job] = of.end[job] = -1
    this.nodes.push('')
  }

  stateOf(job: number): JobState {
    return jobStates[this.of.state[job]]
  }

  setState(job: number, state: JobState): void {
    this.of.state[job] = jobStates.indexOf(state)
  }

  /** Counts the jobs that came into a state in which a job stays, such as `finished`. */
  countInState(state: JobState): number {
    const wanted = jobStates.indexOf(state)
    const { state: states, end } = this.of
    let count = 0
    for (let job = 0; job < this.length; job++) if (states[job] === wanted && end[job] >= this.from) count++
    return count
  }

  countSubmitted(): number {
    let count = 0
    for (let job = 0; job < this.length; job++) if (this.wasSubmitted(job)) count++
    return count
  }

  wasSubmitted(job: number): boolean {
    return this.of.submit[job] >= this.from
  }

  hasStarted(job: number): boolean {
    return this.of.start[job] >= this.from
  }

  /** Returns true if the job finished or was killed for good. */
  hasEnded(job: number): boolean {
    const state = this.of.state[job]
    return (state === FINISHED || state === KILLED) && this.of.end[job] >= this.from
  }

  /** Returns true if the job waited or ran at some time since `from`. */
  wasThere(job: number): boolean {
    const state = this.of.state[job]
    return state === WAITING || state === RUNNING || this.of.end[job] >= this.from
  }

  /** The jobs that started. */
  started(): Int32Array {
    return this.#those((job) => this.hasStarted(job))
  }

  /** The jobs that finished or were killed for good. */
  ended(): Int32Array {
    return this.#those((job) => this.hasEnded(job))
  }

  startRun(job: number, t: number): void {
    this.of.start[job] = t
    this.of.waited[job] += t - this.of.queued[job]
    this.#progress.delete(job)
  }

  endRun(job: number, t: number): void {
    this.of.end[job] = t
    this.of.ran[job] += this.ranUntil(job, t)
  }

  /** Returns how long the last run of a job took between `from` and a time. */
  ranUntil(job: number, t: number): number {
    return Math.max(0, t - Math.max(this.from, this.of.start[job]))
  }

  /** The job leaves the queue without a start. */
  leaveQueue(job: number, state: 'rejected' | 'cancelled', t: number): void {
    this.setState(job, state)
    this.of.end[job] = t
  }

  /** The job makes progress at another rate from `t` on. */
  changeRate(job: number, t: number, rate: number): void {
    this.#progress.set(job, { rate, since: t, made: this.#progressUntil(job, t) })
  }

  /** Of the last run, which has ended: ms that it would have taken by itself. */
  progressOf(job: number): number {
    return this.#progressUntil(job, this.of.end[job])
  }

  #progressUntil(job: number, t: number): number {
    const { rate, since, made } = this.#progress.get(job) ?? { rate: 1000, since: this.of.start[job], made: 0 }
    return made + (rate * (t - since)) / 1000
  }

  #those(isOne: (job: number) => boolean): Int32Array {
    const found = new Int32Array(this.length)
    let count = 0
    for (let job = 0; job < this.length; job++) if (isOne(job)) found[count++] = job
    return found.subarray(0, count)
  }
}
