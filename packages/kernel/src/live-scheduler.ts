import { type Kill, type LogState, milliseconds, type Recorder, type Submit } from '@cloister/eventlog'
import type { BoundOrder } from '@cloister/ordering'
import type { Resources } from '@cloister/placement'
import type { Job } from '@cloister/workload'
import { disciplineOf } from './disciplines/index.ts'
import { jobOfRecord } from './records.ts'
import { Scheduler } from './scheduler.ts'
import type { Instant, Machine, Routing, SchedulerSetup } from './setup.ts'

/** A job for `LiveScheduler`, whose run time is unknown. `walltime` is the estimate, integer milliseconds. */
export type LiveJob = Omit<Job, 'runTime' | 'walltime'> & { readonly walltime: number }

/** Topology, policy, queue discipline and limits of a `LiveScheduler`. The queue discipline has no `kill`. */
export interface LiveRules<Index> extends Pick<
  SchedulerSetup<Index>,
  'topology' | 'policyName' | 'placer' | 'queue' | 'timeLimit' | 'mostQuestions'
> {
  /** Binds the queue order for one scheduler. Default: the order of submission. */
  readonly newOrder?: (() => BoundOrder | undefined) | undefined
  /** Makes empty forwarding tables for the routes of running jobs. Default: jobs get no routes. */
  readonly makeRouting?: () => Routing
}

/** A machine whose run times are unknown. Its events, such as ends of jobs, come from the caller. */
const realMachine: Machine = { estimateOn: undefined, start: () => undefined, onStart: () => {}, onRelease: () => {} }

/**
 * The scheduler of a simulation, driven by events of a real machine instead of simulated time. At each instant, the
 * caller reports the events and then calls `pass`. The same inputs at the same times give the same decisions.
 *
 * Jobs are named by their ids. The scheduler trusts its inputs: the caller may end a job only while the job runs.
 */
export class LiveScheduler<Index> {
  readonly #recorder: Recorder
  readonly #jobs: Array<Job> = []
  readonly #numbers = new Map<string, number>()
  readonly #instant: Instant = { now: 0, cause: 0, pass: 0 }
  readonly #scheduler: Scheduler<Index>
  /** Forwarding tables with the routes of the running jobs; undefined without `makeRouting`. */
  readonly routing: Routing | undefined

  constructor({ makeRouting, newOrder, ...rules }: LiveRules<Index>, recorder: Recorder) {
    this.#recorder = recorder
    this.routing = makeRouting?.()
    const routing = this.routing && { routing: this.routing }
    const setup = {
      ...rules,
      ...routing,
      order: newOrder?.(),
      estimates: 'requested',
      refusals: false,
      recorder,
    } as const
    this.#scheduler = new Scheduler(setup, this.#jobs, this.#instant, realMachine, disciplineOf, true)
  }

  /**
   * Returns a scheduler with the queue, the running jobs, and the failed nodes and links of a log's state. Reservations
   * are not restored: the caller has already withdrawn them in the log.
   *
   * @param cause seq of the record that causes the decisions of the next pass, if no event is reported before the pass
   */
  static from<Index>(
    state: LogState,
    rules: LiveRules<Index>,
    recorder: Recorder,
    cause: number,
  ): LiveScheduler<Index> {
    const scheduler = new LiveScheduler(rules, recorder)
    scheduler.#restore(state)
    scheduler.#instant.now = milliseconds(state.t)
    scheduler.#instant.cause = cause
    return scheduler
  }

  #restore(state: LogState): void {
    const running = Array.from(state.running.values(), ({ submit }) => submit)
    const known = [...state.waiting.values(), ...state.killed.values(), ...running]
    // Ties in queue order follow the job numbers, so jobs get their numbers in order of submission, also requeued jobs.
    for (const submit of known.sort((a, b) => a.seq - b.seq)) this.#add(liveJobOf(submit))
    this.#scheduler.restore(state, state.waiting.keys(), (job) => this.#numbers.get(job)!)
  }

  #add(job: LiveJob): number {
    const number = this.#jobs.push({ ...job, runTime: Infinity }) - 1
    this.#numbers.set(job.id, number)
    return number
  }

  /** Makes each scheduling pass that was due before `now`, at its own time. @throws PolicyFaultError */
  catchUp(now: number): void {
    while (this.wakeTime < now) {
      this.#scheduler.begin(this.wakeTime)
      this.pass()
    }
  }

  /**
   * Begins an instant, which `pass` ends. First makes the passes due before `now`.
   *
   * @param now integer milliseconds, later than every earlier instant
   * @throws PolicyFaultError
   */
  at(now: number): void {
    this.catchUp(now)
    this.#scheduler.begin(now)
  }

  /** Time of the next pass that is due without an event, integer milliseconds; Infinity if no pass is due. */
  get wakeTime(): number {
    return this.#scheduler.wakeTime
  }

  /** Submits a job. @returns false if the job was rejected because it can never run. @throws PolicyFaultError */
  submit(job: LiveJob): boolean {
    const number = this.#add(job)
    return this.#scheduler.recordingFaults(() => this.#scheduler.submit(number)) === undefined
  }

  /**
   * Reports that a running job ended by itself.
   *
   * @param happened time of the end in integer milliseconds, if the scheduler learned of the end later; likewise below
   * @throws PolicyFaultError if the policy has written to the job's allocation, or a hook of the policy's index throws
   */
  finish(job: string, failed: boolean, happened?: number): void {
    this.#scheduler.recordingFaults(() => this.#scheduler.finish(this.#numberOf(job), failed, happened))
  }

  /**
   * Reports that a running job was killed.
   *
   * @param cause seq of the record that made the kill necessary; default: the job's allocate record
   */
  kill(job: string, code: Kill['code'], cause?: number, happened?: number): void {
    const number = this.#numberOf(job)
    this.#scheduler.recordingFaults(() => {
      const seq = this.#scheduler.kill(number, code, cause ?? this.#scheduler.allocateSeq(number), happened)
      this.#instant.cause = seq
    })
  }

  /** Reports that a user cancelled a waiting or running job. */
  cancel(job: string, happened?: number): void {
    this.#scheduler.recordingFaults(() => this.#scheduler.cancel(this.#numberOf(job), happened))
  }

  /** Withdraws a start that was never carried out: the allocation is released, and the job waits again. */
  withdraw(job: string): void {
    const number = this.#numberOf(job)
    const start = this.#scheduler.allocateSeq(number)
    this.#scheduler.recordingFaults(() => {
      const seq = this.#recorder.record({ type: 'withdraw', t: this.#instant.now, job, of: start, cause: start })
      this.#scheduler.end(number, seq)
      this.requeue(job, seq)
    })
  }

  /** Queues a job again whose run was ended. @param cause seq of the record that ended the run */
  requeue(job: string, cause: number): void {
    this.#instant.cause = this.#recorder.record({ type: 'requeue', t: this.#instant.now, job, cause })
    this.#scheduler.readmit(this.#numberOf(job))
  }

  /** Reports that nodes and links failed or were repaired. Kills the jobs that still run on failed nodes. */
  change(change: 'down' | 'up', resources: Resources): void {
    this.#scheduler.recordingFaults(() => this.#scheduler.change({ change, resources }))
  }

  /**
   * Rejects the waiting jobs that can never run. After `from`, such jobs may wait: the earlier scheduler may have
   * stopped before it rejected them, or the policy may have changed. @throws PolicyFaultError
   */
  recheck(): void {
    this.#scheduler.recordingFaults(() => {
      const { waiting } = this.#scheduler
      for (let job = waiting.head; job !== undefined; job = waiting.after(job)) this.#scheduler.rejectForGood(job)
    })
  }

  /** Makes a scheduling pass. @throws PolicyFaultError if the policy fails; no method may be called after the error */
  pass(): void {
    this.#scheduler.recordingFaults(() => this.#scheduler.pass())
  }

  #numberOf(job: string): number {
    const number = this.#numbers.get(job)
    if (number === undefined) throw new RangeError(`job ${job} was not submitted`)
    return number
  }
}

/** Returns the job that a submit record of a log describes, for `LiveScheduler.submit`. */
export function liveJobOf(submit: Submit): LiveJob {
  return { ...jobOfRecord(submit), walltime: milliseconds(submit.estimate ?? 0) }
}
