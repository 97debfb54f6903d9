import type { Totals } from '@cloister/eventlog'
import { KeyedHeap } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import { RemainingWork } from './contention.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Discipline } from './disciplines/discipline.ts'
import { disciplineOf } from './disciplines/index.ts'
import type { Durations } from './durations.ts'
import type { Instant } from './instant.ts'
import { requestAsJson } from './policy-calls.ts'
import { PolicyFaultError } from './policy-fault.ts'
import type { Cancellation, NotPlacedJobs, Outage, Simulation, Summary } from './simulation.ts'

/**
 * Simulates instant after instant. The order at an instant: ends of jobs, outages, cancellations, submissions, one
 * scheduling pass. This round is repeated while jobs of zero length end at the instant.
 */
export class EventLoop<Index> {
  readonly #simulation: Simulation<Index>
  readonly #jobs: ReadonlyArray<Job>
  readonly #outages: ReadonlyArray<Outage>
  readonly #cancellations: ReadonlyArray<Cancellation>
  readonly #instant: Instant = { now: 0, cause: 0, pass: 0 }
  /** Real ends of running jobs, and invalid ends (`#isDue`), for example of killed jobs. Ties are in submit order. */
  readonly #ends = new KeyedHeap()
  readonly #dispatcher: Dispatcher<Index>
  readonly #discipline: Discipline
  readonly #endOf: Float64Array
  /** For each job: 1 if the job is killed at the end of its estimate, else 0. */
  readonly #isCutShort: Uint8Array
  /** Time at which each running job is killed for its estimate, integer milliseconds; empty without contention. */
  readonly #limitOf: Float64Array
  readonly #work: RemainingWork | undefined
  #submissions = 0
  #outagesPast = 0
  #cancellationsPast = 0
  #finished = 0
  readonly #rejected: Array<NotPlacedJobs['rejected'][number]> = []

  constructor(simulation: Simulation<Index>, durations: Durations) {
    this.#simulation = simulation
    this.#jobs = simulation.workload.jobs
    this.#outages = simulation.outages ?? []
    this.#cancellations = (simulation.cancellations ?? []).filter(({ time, job }) => time > this.#jobs[job].submit)
    this.#endOf = new Float64Array(this.#jobs.length)
    this.#isCutShort = new Uint8Array(this.#jobs.length)
    const contended = simulation.contention === undefined ? 0 : this.#jobs.length
    this.#limitOf = new Float64Array(contended)
    this.#work = contended === 0 ? undefined : new RemainingWork(contended)
    this.#dispatcher = new Dispatcher(
      simulation,
      durations,
      this.#instant,
      (job, estimate, runTime) => this.#scheduleEnd(job, estimate, runTime),
      (job, rate) => this.#moveEnd(job, rate),
    )
    this.#discipline = disciplineOf(this.#dispatcher, simulation)
    this.#dispatcher.follow(this.#discipline)
  }

  /** @throws PolicyFaultError if the policy fails; the fault is then the last record of the log */
  run(): Summary {
    try {
      return this.#run()
    } catch (error) {
      throw error instanceof PolicyFaultError ? this.#recorded(error) : error
    }
  }

  #run(): Summary {
    for (let next = this.#nextInstant(); next !== Infinity; next = this.#nextInstant()) this.#simulateInstant(next)
    const totals: Totals = {
      submitted: this.#submissions,
      started: this.#dispatcher.started,
      finished: this.#finished,
      rejected: this.#rejected.length,
      killed: this.#dispatcher.killed,
      cancelled: this.#dispatcher.cancelled,
    }
    this.#simulation.recorder.record({ type: 'end', t: this.#instant.now, ...totals })
    const notPlaced = { rejected: this.#rejected, waiting: this.#waiting() }
    return { totals, searchBounds: this.#dispatcher.queries.searchBounds, notPlaced }
  }

  #waiting(): ReadonlyArray<number> {
    const { waiting } = this.#dispatcher
    const jobs: Array<number> = []
    for (let job = waiting.head; job !== undefined; job = waiting.after(job)) jobs.push(job)
    return jobs
  }

  #recorded(fault: PolicyFaultError): PolicyFaultError {
    const { request, code, reason } = fault
    if (request === undefined) return fault
    const { now: time, cause } = this.#instant
    const { recorder, timeLimit } = this.#simulation
    const limit = code === 'time' ? timeLimit!.milliseconds : undefined
    const { job, purpose } = request
    const seq = recorder.record({
      type: 'fault',
      t: time,
      job,
      purpose,
      request: requestAsJson(request),
      message: reason,
      cause,
      code,
      limit,
    })
    return fault.recordedAt({ seq, time })
  }

  #nextInstant(): number {
    const submission = this.#jobs[this.#submissions]?.submit ?? Infinity
    const outage = this.#outages[this.#outagesPast]?.time ?? Infinity
    return Math.min(this.#nextEnd(), submission, outage, this.#nextCancellation(), this.#discipline.wakeTime)
  }

  #nextCancellation(): number {
    const { waiting } = this.#dispatcher
    for (; this.#cancellationsPast < this.#cancellations.length; this.#cancellationsPast++) {
      const { time, job } = this.#cancellations[this.#cancellationsPast]
      if (job >= this.#submissions || waiting.has(job) || this.#dispatcher.isRunning(job)) return time
    }
    return Infinity
  }

  #nextEnd(): number {
    while (this.#ends.first !== -1 && !this.#isDue(this.#ends.first, this.#ends.firstKey)) this.#ends.pop()
    return this.#ends.firstKey
  }

  /** A job that was killed, or whose end was moved, leaves an invalid end in the heap. */
  #isDue(job: number, end: number): boolean {
    return this.#dispatcher.isRunning(job) && this.#endOf[job] === end
  }

  #simulateInstant(now: number): void {
    this.#instant.cause = this.#discipline.wakeCause
    this.#instant.now = now
    const dispatcher = this.#dispatcher
    do {
      while (this.#nextEnd() === now) this.#endJob()
      while (this.#outages[this.#outagesPast]?.time === now) dispatcher.change(this.#outages[this.#outagesPast++])
      while (this.#nextCancellation() === now) dispatcher.cancel(this.#cancellations[this.#cancellationsPast++].job)
      while (this.#jobs[this.#submissions]?.submit === now) this.#submitJob(this.#submissions++)
      dispatcher.pass()
    } while (this.#nextEnd() === now)
  }

  #scheduleEnd(job: number, estimate: number, runTime: number): void {
    const isCutShort = this.#simulation.overrun === 'kill' && runTime > estimate
    this.#isCutShort[job] = isCutShort ? 1 : 0
    this.#endOf[job] = this.#instant.now + (isCutShort ? estimate : runTime)
    this.#ends.push(this.#endOf[job], job)
    if (this.#work === undefined) return
    this.#work.start(job, this.#instant.now, runTime)
    this.#limitOf[job] = this.#simulation.overrun === 'kill' ? this.#instant.now + estimate : Infinity
  }

  #moveEnd(job: number, rate: number): void {
    const end = this.#work!.changeRate(job, this.#instant.now, rate)
    this.#isCutShort[job] = end > this.#limitOf[job] ? 1 : 0
    const moved = Math.min(end, this.#limitOf[job])
    if (moved === this.#endOf[job]) return
    this.#endOf[job] = moved
    this.#ends.push(moved, job)
  }

  #endJob(): void {
    const job = this.#ends.pop()
    if (this.#isCutShort[job] === 1) this.#dispatcher.kill(job, 'estimate', this.#dispatcher.allocateSeq(job))
    else {
      this.#dispatcher.finish(job)
      this.#finished++
    }
    const { onProgress } = this.#simulation
    const ended = this.#finished + this.#dispatcher.killed
    if (onProgress !== undefined && (ended & 1023) === 0) onProgress(ended, this.#jobs.length)
  }

  #submitJob(job: number): void {
    const refusal = this.#dispatcher.submit(job)
    if (refusal !== undefined) this.#rejected.push({ job, code: refusal.code })
  }
}
