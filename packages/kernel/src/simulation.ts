import type { Recorder, Totals } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Job, Workload } from '@cloister/trace-io'
import { EndQueue } from './ends.ts'
import { Scheduler } from './scheduler.ts'

/** First come, first served; or EASY backfilling over the first `window` jobs behind the head. */
export type QueueDiscipline =
  | { readonly order: 'submit'; readonly backfill: 'none' }
  | { readonly order: 'submit'; readonly backfill: 'easy'; readonly window: number }

export interface Simulation<Index = unknown> {
  readonly topology: Topology
  /** For messages. */
  readonly policyName: string
  readonly placer: Placer<Index>
  readonly workload: Workload
  readonly queue: QueueDiscipline
  /** exact: the scheduler's estimate is the run time. trace: the user's estimate; a job without one is taken at its run time. */
  readonly walltime: 'exact' | 'trace'
  /** What happens to a job at the end of its estimate: it is killed, or runs on to its real end. */
  readonly overrun: 'run-on' | 'kill'
  /** Also record why jobs did not start (`refuse`), and the policy's notes. Nothing is remembered then: slower. */
  readonly decisions: boolean
  readonly recorder: Recorder
  /** Called now and then with the number of jobs that have ended. */
  readonly onProgress?: (ended: number, jobs: number) => void
}

/** Runs a workload to its end. Everything that happens goes to the recorder; the same input gives the same calls. */
export function simulate<Index>(simulation: Simulation<Index>): Totals {
  return new Clock(simulation).run()
}

/** The estimate that the scheduler sees, integer milliseconds. */
export function estimateOf(job: Job, walltime: 'exact' | 'trace'): number {
  return walltime === 'exact' ? job.runTime : job.walltime ?? job.runTime
}

/** Time: at each instant the ends, then the submissions, then one scheduling pass; again while jobs of no length end. */
class Clock<Index> {
  readonly #simulation: Simulation<Index>
  readonly #jobs: ReadonlyArray<Job>
  readonly #ends: EndQueue
  readonly #scheduler: Scheduler<Index>
  #arrived = 0
  #finished = 0
  #killed = 0
  #rejected = 0
  /** Seq of the last input of the instant, or of the last kill where it had none. */
  #cause = 0

  constructor(simulation: Simulation<Index>) {
    this.#simulation = simulation
    this.#jobs = simulation.workload.jobs
    this.#ends = new EndQueue(Math.min(this.#jobs.length, simulation.topology.nodes))
    this.#scheduler = new Scheduler(simulation, (job, now) => this.#ends.push(now + this.#durationOf(job), job))
  }

  run(): Totals {
    let now = 0
    for (;;) {
      const next = Math.min(this.#ends.nextTime, this.#jobs[this.#arrived]?.submit ?? Infinity)
      if (next === Infinity) break
      now = next
      this.#instant(now)
    }
    const totals = {
      submitted: this.#arrived, started: this.#scheduler.started, finished: this.#finished,
      rejected: this.#rejected, killed: this.#killed, cancelled: 0,
    }
    this.#simulation.recorder.end(now, totals)
    return totals
  }

  #instant(now: number): void {
    do {
      while (this.#ends.nextTime === now) this.#endJob(now, this.#ends.pop())
      while (this.#jobs[this.#arrived]?.submit === now) this.#submitJob(now, this.#arrived++)
      this.#scheduler.pass(now, this.#cause)
    } while (this.#ends.nextTime === now)
  }

  #endJob(now: number, job: number): void {
    const { recorder, onProgress } = this.#simulation
    const { id } = this.#jobs[job]!
    const started = this.#scheduler.allocateSeq(job)
    if (this.#overruns(job)) {
      this.#cause = recorder.kill(now, id, 'walltime', started)
      this.#killed++
    } else {
      this.#cause = recorder.finish(now, id, started, false)
      this.#finished++
    }
    recorder.release(now, id, this.#cause)
    this.#scheduler.release(job, now)
    if (onProgress !== undefined && ((this.#finished + this.#killed) & 1023) === 0) onProgress(this.#finished + this.#killed, this.#jobs.length)
  }

  #submitJob(now: number, job: number): void {
    const { recorder, walltime } = this.#simulation
    const { id, size, name, bandwidth, communication } = this.#jobs[job]!
    this.#cause = recorder.submit(now, {
      id, size, walltime: estimateOf(this.#jobs[job]!, walltime),
      ...(name === undefined ? {} : { name }),
      ...(bandwidth === undefined ? {} : { bandwidth }),
      ...(communication === undefined ? {} : { communication }),
    })
    const refusal = this.#scheduler.submit(job, now)
    if (refusal === undefined) return
    recorder.reject(now, id, refusal.code, refusal.constraint, this.#cause)
    this.#rejected++
  }

  #overruns(job: number): boolean {
    const { overrun, walltime } = this.#simulation
    return overrun === 'kill' && this.#jobs[job]!.runTime > estimateOf(this.#jobs[job]!, walltime)
  }

  #durationOf(job: number): number {
    return this.#overruns(job) ? estimateOf(this.#jobs[job]!, this.#simulation.walltime) : this.#jobs[job]!.runTime
  }
}
