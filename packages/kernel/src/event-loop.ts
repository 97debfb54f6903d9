import type { Totals } from '@cloister/eventlog'
import type { Job } from '@cloister/workload'
import { Dispatcher } from './dispatcher.ts'
import type { Discipline } from './discipline.ts'
import { disciplineOf } from './disciplines.ts'
import type { Durations } from './durations.ts'
import { EndQueue } from './ends.ts'
import type { Cancellation, Outage, Simulation, Summary } from './simulation.ts'

/**
 * Time: at each instant the ends, then what breaks or is mended, then what is cancelled, then the submissions, then one
 * scheduling pass; again while jobs of no length end.
 */
export class Clock<Index> {
  readonly #simulation: Simulation<Index>
  readonly #jobs: ReadonlyArray<Job>
  readonly #outages: ReadonlyArray<Outage>
  readonly #cancellations: ReadonlyArray<Cancellation>
  readonly #ends = new EndQueue()
  readonly #dispatcher: Dispatcher<Index>
  readonly #discipline: Discipline
  /** When each running job will end. */
  readonly #endOf: Float64Array
  /** Whether that is the end of its estimate, where it is killed. */
  readonly #isCutShort: Uint8Array
  #arrived = 0
  #broken = 0
  #cancelled = 0
  #finished = 0
  #rejected = 0

  constructor(simulation: Simulation<Index>, durations: Durations) {
    this.#simulation = simulation
    this.#jobs = simulation.workload.jobs
    this.#outages = simulation.outages ?? []
    this.#cancellations = (simulation.cancellations ?? []).filter(({ time, job }) => time > this.#jobs[job].submit)
    this.#endOf = new Float64Array(this.#jobs.length)
    this.#isCutShort = new Uint8Array(this.#jobs.length)
    this.#dispatcher = new Dispatcher(simulation, durations, (job, estimate, runTime) =>
      this.#started(job, estimate, runTime),
    )
    this.#discipline = disciplineOf(this.#dispatcher, simulation.queue)
    this.#dispatcher.follow(this.#discipline)
  }

  run(): Summary {
    let now = 0
    for (let next = this.#nextInstant(); next !== Infinity; next = this.#nextInstant()) {
      now = next
      this.#instant(now)
    }
    const totals: Totals = {
      submitted: this.#arrived,
      started: this.#dispatcher.started,
      finished: this.#finished,
      rejected: this.#rejected,
      killed: this.#dispatcher.killed,
      cancelled: this.#dispatcher.cancelled,
    }
    this.#simulation.recorder.end(now, totals)
    return { totals, searchBounds: this.#dispatcher.searchBounds }
  }

  #nextInstant(): number {
    const arrival = this.#jobs[this.#arrived]?.submit ?? Infinity
    const outage = this.#outages[this.#broken]?.time ?? Infinity
    return Math.min(this.#nextEnd(), arrival, outage, this.#nextCancellation(), this.#discipline.wakeTime)
  }

  /** Jobs that have ended are past cancelling. */
  #nextCancellation(): number {
    const { waiting } = this.#dispatcher
    for (; this.#cancelled < this.#cancellations.length; this.#cancelled++) {
      const { time, job } = this.#cancellations[this.#cancelled]
      if (job >= this.#arrived || waiting.has(job) || this.#dispatcher.isRunning(job)) return time
    }
    return Infinity
  }

  #nextEnd(): number {
    while (this.#ends.nextTime !== Infinity && !this.#isDue(this.#ends.nextJob, this.#ends.nextTime)) this.#ends.pop()
    return this.#ends.nextTime
  }

  /** A job that was killed left its end in the queue; it may run again since. */
  #isDue(job: number, end: number): boolean {
    return this.#dispatcher.isRunning(job) && this.#endOf[job] === end
  }

  #instant(now: number): void {
    this.#dispatcher.cause = this.#discipline.wakeCause
    this.#dispatcher.now = now
    do {
      while (this.#nextEnd() === now) this.#endJob()
      while (this.#outages[this.#broken]?.time === now) this.#dispatcher.change(this.#outages[this.#broken++])
      while (this.#nextCancellation() === now) this.#dispatcher.cancel(this.#cancellations[this.#cancelled++].job)
      while (this.#jobs[this.#arrived]?.submit === now) this.#submitJob(this.#arrived++)
      this.#dispatcher.pass()
    } while (this.#nextEnd() === now)
  }

  #started(job: number, estimate: number, runTime: number): void {
    const isCutShort = this.#simulation.overrun === 'kill' && runTime > estimate
    this.#isCutShort[job] = isCutShort ? 1 : 0
    this.#endOf[job] = this.#dispatcher.now + (isCutShort ? estimate : runTime)
    this.#ends.push(this.#endOf[job], job)
  }

  #endJob(): void {
    const job = this.#ends.nextJob
    this.#ends.pop()
    if (this.#isCutShort[job] === 1) this.#dispatcher.kill(job, 'walltime', this.#dispatcher.allocateSeq(job))
    else {
      this.#dispatcher.finish(job)
      this.#finished++
    }
    const { onProgress } = this.#simulation
    const ended = this.#finished + this.#dispatcher.killed
    if (onProgress !== undefined && (ended & 1023) === 0) onProgress(ended, this.#jobs.length)
  }

  #submitJob(job: number): void {
    if (!this.#dispatcher.submit(job)) this.#rejected++
  }
}
