import { type ColumnArrays, Columns } from './columns.ts'

/** States of a job. The table of jobs stores the index of a state in this list. */
export const jobStates = ['waiting', 'running', 'finished', 'killed', 'rejected', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

const [WAITING, RUNNING, FINISHED, KILLED] = jobStates.keys()

/** `rate`: in 1/1000 of full rate. `since`: begin of the rate in ms. `made`: progress before `since`, in ms. */
interface Progress {
  rate: number
  since: number
  made: number
}

/** Columns of jobs. Times are integer ms; -1 means that an event has not happened or that a value is unknown. */
const kinds = {
  size: Float64Array,
  submit: Float64Array,
  estimate: Float64Array,
  /** Begin of the job's latest wait. */
  queued: Float64Array,
  /** Start of the job's last run. */
  start: Float64Array,
  /** End of the job's last run, or the time at which a job without a start left the queue. */
  end: Float64Array,
  /** Sum of the job's waits that ended with a start. */
  waited: Float64Array,
  /** Sum of the job's run times after the table's `from`, over the runs that have ended. */
  ran: Float64Array,
  /** Index in `jobStates`. */
  state: Uint8Array,
}

/** Submitted jobs by number in submit order, in columns: a million objects would take most of the time and memory. */
export class JobTable {
  /** Begin of the figures' window, in ms: earlier events count in no figure. Infinity before the window. */
  from = 0
  readonly #columns = new Columns(kinds)
  /** Idset of the nodes of each job's current run; empty if the job does not run. */
  readonly nodes: Array<string> = []
  /** Progress of jobs whose rate changed in the last run. */
  readonly #progress = new Map<number, Progress>()

  get length(): number {
    return this.#columns.length
  }

  /** The arrays of the columns. An array may be longer than `length`, and adding a job may replace the arrays. */
  get of(): ColumnArrays<typeof kinds> {
    return this.#columns.of
  }

  /** Adds the next job in submit order, which waits from `t` (ms) on. @param estimate estimate in ms; -1 if unknown */
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

  /** Returns the number of jobs that reached a final state, such as `finished`, since `from`. */
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

  /** Returns the jobs that started since `from`. */
  started(): Int32Array {
    return this.#those((job) => this.hasStarted(job))
  }

  /** Returns the jobs that finished or were killed for good since `from`. */
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

  /** Returns the time of a job's last run between `from` and a time, in ms. */
  ranUntil(job: number, t: number): number {
    return Math.max(0, t - Math.max(this.from, this.of.start[job]))
  }

  /** Removes a job from the queue without a start. */
  leaveQueue(job: number, state: 'rejected' | 'cancelled', t: number): void {
    this.setState(job, state)
    this.of.end[job] = t
  }

  changeRate(job: number, t: number, rate: number): void {
    this.#progress.set(job, { rate, since: t, made: this.#progressUntil(job, t) })
  }

  /** Returns the progress of a job's last run, which has ended: the length of the run at full rate, in ms. */
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
