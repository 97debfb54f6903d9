import { type Kill, type LogState, milliseconds, type Recorder, type Submit } from '@cloister/eventlog'
import type { Placer, Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import { Dispatcher } from './dispatcher.ts'
import type { Discipline } from './disciplines/discipline.ts'
import { disciplineOf } from './disciplines/index.ts'
import { GrowingQueue } from './growing-queue.ts'
import type { Instant } from './instant.ts'
import { requestAsJson } from './policy-calls.ts'
import { PolicyFaultError } from './policy-fault.ts'
import { estimateOf } from './queue-order.ts'
import type { QueueDiscipline, Routing, Simulation, TimeLimit } from './simulation.ts'
import { labelsOf } from './submitted-job.ts'

/** A job for `LiveScheduler`, whose run time is unknown. `walltime` is the estimate, integer milliseconds. */
export type LiveJob = Omit<Job, 'runTime' | 'walltime'> & { readonly walltime: number }

/** Topology, policy, queue discipline and limits of a `LiveScheduler`. */
export interface LiveRules<Index> {
  readonly topology: Topology
  /** Name of the policy in messages. */
  readonly policyName: string
  readonly placer: Placer<Index>
  /** Queue discipline without `kill`: a live scheduler does not kill running jobs. */
  readonly queue: QueueDiscipline
  /** Makes empty forwarding tables for the routes of running jobs. Default: jobs get no routes. */
  readonly makeRouting?: () => Routing
  /** Time limit for an answer of the policy. Default: no limit. */
  readonly timeLimit?: TimeLimit
  /** Greatest number of calls of the policy's `place`. Default: no limit. */
  readonly mostQuestions?: number
}

/**
 * The scheduler of a simulation, driven by events of a real machine instead of simulated time. At each instant, the
 * caller reports the events and then calls `pass`. The same inputs at the same times give the same decisions.
 *
 * Jobs are named by their ids. The scheduler trusts its inputs: the caller may end a job only while the job runs.
 */
export class LiveScheduler<Index> {
  readonly #rules: LiveRules<Index>
  readonly #recorder: Recorder
  readonly #jobs: Array<Job> = []
  readonly #numbers = new Map<string, number>()
  readonly #instant: Instant = { now: 0, cause: 0, pass: 0 }
  readonly #dispatcher: Dispatcher<Index>
  readonly #discipline: Discipline
  /** Forwarding tables with the routes of the running jobs; undefined without `makeRouting`. */
  readonly routing: Routing | undefined

  constructor(rules: LiveRules<Index>, recorder: Recorder) {
    this.#rules = rules
    this.#recorder = recorder
    const { queue, makeRouting, ...others } = rules
    this.routing = makeRouting?.()
    const simulation: Simulation<Index> = {
      ...others,
      queue,
      workload: { name: '', filter: '', jobs: this.#jobs, sha256: '' },
      estimates: 'requested',
      overrun: 'run-on',
      refusals: false,
      recorder,
      ...(this.routing && { routing: this.routing }),
    }
    const keys = { submit: () => 0, size: this.#sizeOf, estimate: this.#estimateOf }
    const durations = { estimateOn: undefined, ofStart: () => ({ runTime: Infinity, estimate: undefined }) }
    const ignore = (): void => {}
    const waiting = new GrowingQueue(keys[queue.order])
    this.#dispatcher = new Dispatcher(simulation, durations, this.#instant, ignore, ignore, waiting)
    this.#discipline = disciplineOf(this.#dispatcher, simulation)
    this.#dispatcher.follow(this.#discipline)
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

  readonly #sizeOf = (job: number): number => this.#jobs[job].size
  readonly #estimateOf = (job: number): number => estimateOf(this.#jobs[job], 'requested')

  #restore(state: LogState): void {
    const running = [...state.running.values()]
    const known = [...state.waiting.values(), ...state.killed.values(), ...running.map(({ submit }) => submit)]
    // Ties in queue order follow the job numbers, so jobs get their numbers in order of submission, also requeued jobs.
    for (const submit of known.sort((a, b) => a.seq - b.seq)) this.#add(liveJobOf(submit))
    const dispatcher = this.#dispatcher
    for (const { allocate, submit, nodes, links } of running) {
      const estimate = allocate.estimate ?? submit.estimate ?? 0
      const { job, bandwidth } = allocate
      dispatcher.adopt(
        this.#numbers.get(job)!,
        {
          job,
          nodes,
          links,
          communicates: submit.communication !== undefined,
          estimatedEnd: milliseconds(allocate.t) + milliseconds(estimate),
          ...(bandwidth === undefined ? {} : { bandwidth }),
        },
        allocate.seq,
      )
    }
    for (const job of state.waiting.keys()) dispatcher.readmit(this.#numbers.get(job)!)
    const downLinks = state.downLinks.map((links) => links.ids())
    if (state.downNodes.size > 0 || downLinks.some(({ length }) => length > 0))
      dispatcher.state.fail({ nodes: state.downNodes.ids(), links: downLinks })
  }

  #add(job: LiveJob): number {
    const number = this.#jobs.push({ ...job, runTime: Infinity }) - 1
    this.#numbers.set(job.id, number)
    return number
  }

  /** Makes each scheduling pass that was due before `now`, at its own time. @throws PolicyFaultError */
  catchUp(now: number): void {
    while (this.#discipline.wakeTime < now) {
      this.#instant.cause = this.#discipline.wakeCause
      this.#instant.now = this.#discipline.wakeTime
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
    if (this.#discipline.wakeTime === now) this.#instant.cause = this.#discipline.wakeCause
    this.#instant.now = now
  }

  /** Time of the next pass that is due without an event, integer milliseconds; Infinity if no pass is due. */
  get wakeTime(): number {
    return this.#discipline.wakeTime
  }

  /** Submits a job. @returns false if the job was rejected because it can never run. @throws PolicyFaultError */
  submit(job: LiveJob): boolean {
    const number = this.#add(job)
    return this.#faultsRecorded(() => this.#dispatcher.submit(number)) === undefined
  }

  /**
   * Reports that a running job ended by itself.
   *
   * @param happened time of the end in integer milliseconds, if the scheduler learned of the end later; likewise below
   * @throws PolicyFaultError if the policy has written to the job's allocation, or a hook of the policy's index throws
   */
  finish(job: string, failed: boolean, happened?: number): void {
    this.#faultsRecorded(() => this.#dispatcher.finish(this.#numberOf(job), failed, happened))
  }

  /**
   * Reports that a running job was killed.
   *
   * @param cause seq of the record that made the kill necessary; default: the job's allocate record
   */
  kill(job: string, code: Kill['code'], cause?: number, happened?: number): void {
    const number = this.#numberOf(job)
    this.#faultsRecorded(() => {
      const seq = this.#dispatcher.kill(number, code, cause ?? this.#dispatcher.allocateSeq(number), happened)
      this.#instant.cause = seq
    })
  }

  /** Reports that a user cancelled a waiting or running job. */
  cancel(job: string, happened?: number): void {
    this.#faultsRecorded(() => this.#dispatcher.cancel(this.#numberOf(job), happened))
  }

  /** Withdraws a start that was never carried out: the allocation is released, and the job waits again. */
  withdraw(job: string): void {
    const number = this.#numberOf(job)
    const start = this.#dispatcher.allocateSeq(number)
    this.#faultsRecorded(() => {
      const seq = this.#recorder.record({ type: 'withdraw', t: this.#instant.now, job, of: start, cause: start })
      this.#dispatcher.end(number, seq)
      this.requeue(job, seq)
    })
  }

  /** Queues a job again whose run was ended. @param cause seq of the record that ended the run */
  requeue(job: string, cause: number): void {
    this.#instant.cause = this.#recorder.record({ type: 'requeue', t: this.#instant.now, job, cause })
    this.#dispatcher.readmit(this.#numberOf(job))
  }

  /** Reports that nodes and links failed or were repaired. Kills the jobs that still run on failed nodes. */
  change(change: 'down' | 'up', resources: Resources): void {
    this.#faultsRecorded(() => this.#dispatcher.change({ time: this.#instant.now, change, resources }))
  }

  /**
   * Rejects the waiting jobs that can never run. After `from`, such jobs may wait: the earlier scheduler may have
   * stopped before it rejected them, or the policy may have changed. @throws PolicyFaultError
   */
  recheck(): void {
    this.#faultsRecorded(() => {
      const { waiting } = this.#dispatcher
      for (let job = waiting.head; job !== undefined; job = waiting.after(job)) this.#dispatcher.rejectForGood(job)
    })
  }

  /** Makes a scheduling pass. @throws PolicyFaultError if the policy fails; no method may be called after the error */
  pass(): void {
    this.#faultsRecorded(() => this.#dispatcher.pass())
  }

  #numberOf(job: string): number {
    const number = this.#numbers.get(job)
    if (number === undefined) throw new RangeError(`job ${job} was not submitted`)
    return number
  }

  #faultsRecorded<A>(act: () => A): A {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof PolicyFaultError) || error.request === undefined || error.recorded !== undefined)
        throw error
      throw this.#recorded(error, error.request)
    }
  }

  #recorded(fault: PolicyFaultError, request: NonNullable<PolicyFaultError['request']>): PolicyFaultError {
    const { now: time, cause } = this.#instant
    const limit = fault.code === 'time' ? this.#rules.timeLimit!.milliseconds : undefined
    const question = requestAsJson(request)
    const seq = this.#recorder.record({
      type: 'fault',
      t: time,
      job: request.job,
      purpose: request.purpose,
      request: question,
      message: fault.reason,
      cause,
      code: fault.code,
      limit,
    })
    return fault.recordedAt({ seq, time })
  }
}

/** Returns the job that a submit record of a log describes, for `LiveScheduler.submit`. */
export function liveJobOf(submit: Submit): LiveJob {
  const { job, t, size, estimate = 0 } = submit
  return { id: job, submit: milliseconds(t), size, walltime: milliseconds(estimate), ...labelsOf(submit) }
}
