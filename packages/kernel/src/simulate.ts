import type { Recorder, Totals } from '@cloister/eventlog'
import type { Placement } from '@cloister/placement'
import { KeyedHeap } from '@cloister/topology'
import type { Jobs } from '@cloister/workload'
import { disciplineOf } from './disciplines/index.ts'
import { Scheduler } from './scheduler.ts'
import type { Instant, Machine } from './setup.ts'
import {
  type Cancellation,
  type Contention,
  type Durations,
  durationsOf,
  type NotPlacedJobs,
  type Outage,
  type RateChange,
  type Simulation,
  type Summary,
} from './simulation.ts'

/**
 * Simulates a workload to its end and sends every event to the recorder. The same input gives the same calls.
 *
 * @param durations run times and estimates of jobs; default: from the workload and `runTimes`
 * @throws PolicyFaultError if the policy breaks its contract; the last record is then a `fault` with the last request
 */
export function simulate<Index>(
  simulation: Simulation<Index>,
  durations: Durations = durationsOf(simulation),
): Summary {
  return new EventLoop(simulation, durations).run()
}

/**
 * Simulates instant after instant. The order at an instant: ends of jobs, outages, cancellations, submissions, one
 * scheduling pass. This round is repeated while jobs of zero length end at the instant.
 */
class EventLoop<Index> {
  readonly #simulation: Simulation<Index>
  readonly #jobs: Jobs
  readonly #outages: ReadonlyArray<Outage>
  readonly #cancellations: ReadonlyArray<Cancellation>
  readonly #instant: Instant = { now: 0, cause: 0, pass: 0 }
  readonly #machine: SimulatedMachine
  readonly #scheduler: Scheduler<Index>
  #submissions = 0
  #outagesPast = 0
  #cancellationsPast = 0
  #finished = 0
  readonly #rejected: Array<NotPlacedJobs['rejected'][number]> = []

  constructor(simulation: Simulation<Index>, durations: Durations) {
    this.#simulation = simulation
    this.#jobs = simulation.workload.jobs
    this.#outages = simulation.outages ?? []
    this.#cancellations = (simulation.cancellations ?? []).filter(({ time, job }) => time > this.#jobs.at(job)!.submit)
    this.#machine = new SimulatedMachine(simulation, durations, this.#instant)
    this.#scheduler = new Scheduler(simulation, this.#jobs, this.#instant, this.#machine, disciplineOf)
  }

  /** @throws PolicyFaultError if the policy fails; the fault is then the last record of the log */
  run(): Summary {
    const scheduler = this.#scheduler
    scheduler.recordingFaults(() => {
      for (let next = this.#nextInstant(); next !== Infinity; next = this.#nextInstant()) this.#simulateInstant(next)
    })
    const { started, killed, cancelled, questions } = scheduler
    const rejected = this.#rejected
    const totals: Totals = {
      submitted: this.#submissions,
      started,
      finished: this.#finished,
      rejected: rejected.length,
      killed,
      cancelled,
    }
    this.#simulation.recorder.record({ type: 'end', t: this.#instant.now, ...totals })
    return { totals, searchBounds: questions.searchBounds, notPlaced: { rejected, waiting: this.#waiting() } }
  }

  #waiting(): ReadonlyArray<number> {
    const { waiting } = this.#scheduler
    const jobs: Array<number> = []
    for (let job = waiting.head; job !== undefined; job = waiting.after(job)) jobs.push(job)
    return jobs
  }

  #nextInstant(): number {
    const submission = this.#jobs.at(this.#submissions)?.submit ?? Infinity
    const outage = this.#outages[this.#outagesPast]?.time ?? Infinity
    return Math.min(this.#machine.nextEnd(), submission, outage, this.#nextCancellation(), this.#scheduler.wakeTime)
  }

  #nextCancellation(): number {
    const { waiting } = this.#scheduler
    for (; this.#cancellationsPast < this.#cancellations.length; this.#cancellationsPast++) {
      const { time, job } = this.#cancellations[this.#cancellationsPast]
      if (job >= this.#submissions || waiting.has(job) || this.#scheduler.isRunning(job)) return time
    }
    return Infinity
  }

  #simulateInstant(now: number): void {
    const scheduler = this.#scheduler
    const machine = this.#machine
    scheduler.begin(now)
    do {
      while (machine.nextEnd() === now) this.#endJob(machine.takeEnd())
      while (this.#outages[this.#outagesPast]?.time === now) scheduler.change(this.#outages[this.#outagesPast++])
      while (this.#nextCancellation() === now) scheduler.cancel(this.#cancellations[this.#cancellationsPast++].job)
      while (this.#jobs.at(this.#submissions)?.submit === now) this.#submitJob(this.#submissions++)
      scheduler.pass()
    } while (machine.nextEnd() === now)
  }

  #endJob(job: number): void {
    if (this.#machine.isCutShort(job)) this.#scheduler.kill(job, 'estimate', this.#scheduler.allocateSeq(job))
    else {
      this.#scheduler.finish(job)
      this.#finished++
    }
    const { onProgress } = this.#simulation
    const ended = this.#finished + this.#scheduler.killed
    if (onProgress !== undefined && (ended & 1023) === 0) onProgress(ended, this.#jobs.length)
  }

  #submitJob(job: number): void {
    const refusal = this.#scheduler.submit(job)
    if (refusal !== undefined) this.#rejected.push({ job, code: refusal.code })
  }
}

/** The machine of a simulation: the run times of jobs, and the rates at which running jobs work. */
class SimulatedMachine implements Machine {
  readonly estimateOn: Machine['estimateOn']
  readonly #jobs: Jobs
  readonly #recorder: Recorder
  readonly #instant: Instant
  readonly #durations: Durations
  readonly #kills: boolean
  readonly #contention: Contention | undefined
  /** Ends of running jobs, and invalid ends (`#endOf` differs), for example of killed jobs. Ties are in submit order. */
  readonly #ends = new KeyedHeap()
  /** End of each running job, integer milliseconds; -1 for all other jobs. */
  readonly #endOf: Float64Array
  /** For each job: 1 if the job is killed at the end of its estimate, else 0. */
  readonly #isCutShort: Uint8Array
  /** Time at which each running job is killed for its estimate, integer milliseconds; empty without contention. */
  readonly #limitOf: Float64Array
  readonly #work: RemainingWork
  /** Run time of the job that starts, integer milliseconds. */
  #runTime = 0

  constructor(simulation: Simulation<any>, durations: Durations, instant: Instant) {
    const { workload, recorder, overrun, contention } = simulation
    const count = workload.jobs.length
    this.estimateOn = durations.estimateOn
    this.#jobs = workload.jobs
    this.#recorder = recorder
    this.#instant = instant
    this.#durations = durations
    this.#kills = overrun === 'kill'
    this.#contention = contention
    this.#endOf = new Float64Array(count).fill(-1)
    this.#isCutShort = new Uint8Array(count)
    this.#limitOf = new Float64Array(contention === undefined ? 0 : count)
    this.#work = new RemainingWork(contention === undefined ? 0 : count)
  }

  /** Returns the next end of a running job, integer milliseconds; Infinity if no job ends. */
  nextEnd(): number {
    while (this.#ends.first !== -1 && this.#endOf[this.#ends.first] !== this.#ends.firstKey) this.#ends.pop()
    return this.#ends.firstKey
  }

  /** Returns the job of the next end. */
  takeEnd(): number {
    return this.#ends.pop()
  }

  isCutShort(job: number): boolean {
    return this.#isCutShort[job] === 1
  }

  start(...of: Parameters<Machine['start']>): number | undefined {
    const { runTime, estimate } = this.#durations.ofStart(...of)
    this.#runTime = runTime
    return estimate
  }

  onStart(job: number, placement: Placement, estimate: number, seq: number): void {
    const runTime = this.#runTime
    const { now } = this.#instant
    const isCutShort = this.#kills && runTime > estimate
    this.#isCutShort[job] = isCutShort ? 1 : 0
    this.#endOf[job] = now + (isCutShort ? estimate : runTime)
    this.#ends.push(this.#endOf[job], job)
    if (this.#contention === undefined) return
    this.#work.start(job, now, runTime)
    this.#limitOf[job] = this.#kills ? now + estimate : Infinity
    this.#changeRates(this.#contention.start(job, this.#jobs.at(job)!, placement), seq)
  }

  onRelease(job: number, seq: number): void {
    this.#endOf[job] = -1
    if (this.#contention !== undefined) this.#changeRates(this.#contention.end(job), seq)
  }

  onMove(job: number, cost: number): void {
    this.#endOf[job] += cost
    this.#ends.push(this.#endOf[job], job)
  }

  #changeRates(changes: ReadonlyArray<RateChange>, cause: number): void {
    for (const { job, rate } of changes) {
      this.#recorder.record({ type: 'progress', t: this.#instant.now, job: this.#jobs.at(job)!.id, rate, cause })
      this.#moveEnd(job, rate)
    }
  }

  #moveEnd(job: number, rate: number): void {
    const end = this.#work.changeRate(job, this.#instant.now, rate)
    this.#isCutShort[job] = end > this.#limitOf[job] ? 1 : 0
    const moved = Math.min(end, this.#limitOf[job])
    if (moved === this.#endOf[job]) return
    this.#endOf[job] = moved
    this.#ends.push(moved, job)
  }
}

/** Remaining work of each running job (by number), in exact integers. A job alone does 1000 units a millisecond. */
class RemainingWork {
  readonly #left: Float64Array
  readonly #rate: Int32Array
  readonly #since: Float64Array

  constructor(jobs: number) {
    this.#left = new Float64Array(jobs)
    this.#rate = new Int32Array(jobs)
    this.#since = new Float64Array(jobs)
  }

  start(job: number, now: number, runTime: number): void {
    this.#left[job] = runTime * 1000
    this.#rate[job] = 1000
    this.#since[job] = now
  }

  /** Returns the end of the job at the new rate, integer milliseconds. */
  changeRate(job: number, now: number, rate: number): number {
    this.#left[job] = Math.max(0, this.#left[job] - this.#rate[job] * (now - this.#since[job]))
    this.#rate[job] = rate
    this.#since[job] = now
    return now + Math.ceil(this.#left[job] / rate)
  }
}
