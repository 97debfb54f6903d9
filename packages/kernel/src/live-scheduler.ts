import { type Kill, type LogState, milliseconds, type More, type Recorder, type Submit } from '@cloister/eventlog'
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

/** A job as a live scheduler takes it: how long it will run nobody knows. `walltime` is the estimate, integer milliseconds. */
export type LiveJob = Omit<Job, 'runTime' | 'walltime'> & { readonly walltime: number }

/** A recorder that can take a start back. */
export interface LiveRecorder extends Recorder {
  /** The start `of` a running job was never carried out. */
  withdraw(t: number, job: string, of: number, cause: number): number
}

/** What a live scheduler schedules by. */
export interface LiveRules<Index> {
  readonly topology: Topology
  /** For messages. */
  readonly policyName: string
  readonly placer: Placer<Index>
  /** Without `kill`: nobody kills jobs for it. */
  readonly queue: QueueDiscipline
  /** Makes empty tables, in which jobs have routes from their starts to their ends. Default: jobs get no routes. */
  readonly makeRouting?: () => Routing
  /** Default: the policy may take as long as it likes. */
  readonly timeLimit?: TimeLimit
  /** How often the policy is asked at most. Default: as often as it takes. */
  readonly mostQuestions?: number
}

/**
 * The scheduler of a simulation, fed by what happens to a real machine instead of a clock: who starts when, and where, is decided by the
 * same code. At each instant it is told what happened, then it makes one pass. The same inputs at the same times give the same
 * decisions.
 *
 * Jobs go by their ids. It trusts what it is told: a job that ends is running by what it was told before.
 */
export class LiveScheduler<Index> {
  readonly #rules: LiveRules<Index>
  readonly #recorder: LiveRecorder
  readonly #jobs: Array<Job> = []
  readonly #numbers = new Map<string, number>()
  readonly #instant: Instant = { now: 0, cause: 0, pass: 0 }
  readonly #dispatcher: Dispatcher<Index>
  readonly #discipline: Discipline
  /** The routes of the jobs that run. */
  readonly routing: Routing | undefined

  constructor(rules: LiveRules<Index>, recorder: LiveRecorder) {
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
   * Goes on from what a log says: with its queue, running jobs and failed parts, and no reservation. The caller has taken those back.
   *
   * @param cause seq of the record that the decisions of the next pass follow from, if nothing else happens
   */
  static from<Index>(
    state: LogState,
    rules: LiveRules<Index>,
    recorder: LiveRecorder,
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
    // The order of the queue is that of submission, also for those that wait once more.
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

  /**
   * Makes the passes that reservations called for before an instant, each at its time.
   *
   * @param now integer milliseconds
   * @throws PolicyFaultError
   */
  catchUp(now: number): void {
    while (this.#discipline.wakeTime < now) {
      this.#instant.cause = this.#discipline.wakeCause
      this.#instant.now = this.#discipline.wakeTime
      this.pass()
    }
  }

  /**
   * Begins an instant, later than those before; `pass` ends it. The passes before it are made.
   *
   * @param now integer milliseconds
   * @throws PolicyFaultError
   */
  at(now: number): void {
    this.catchUp(now)
    if (this.#discipline.wakeTime === now) this.#instant.cause = this.#discipline.wakeCause
    this.#instant.now = now
  }

  /** When a pass is due though nothing happens, integer milliseconds; Infinity for none. */
  get wakeTime(): number {
    return this.#discipline.wakeTime
  }

  /** @returns false where it can never run: it is rejected. @throws PolicyFaultError */
  submit(job: LiveJob, more?: More<'submit'>): boolean {
    const number = this.#add(job)
    return this.#faultsRecorded(() => this.#dispatcher.submit(number, more)) === undefined
  }

  /** A running job ended by itself. @throws PolicyFaultError as all that gives back nodes */
  finish(job: string, failed: boolean, more?: More<'finish'>): void {
    this.#faultsRecorded(() => this.#dispatcher.finish(this.#numberOf(job), failed, more))
  }

  /** A running job was killed. @param cause seq of the record that made it necessary; default: its start */
  kill(job: string, code: Kill['code'], cause?: number, more?: More<'kill'>): void {
    const number = this.#numberOf(job)
    this.#faultsRecorded(() => {
      const seq = this.#dispatcher.kill(number, code, cause ?? this.#dispatcher.allocateSeq(number), more)
      this.#instant.cause = seq
    })
  }

  /** A waiting job left the queue, or a running one was killed by its user. */
  cancel(job: string, more?: More<'cancel'>): void {
    this.#faultsRecorded(() => this.#dispatcher.cancel(this.#numberOf(job), more))
  }

  /** The start of a job was never carried out: it gives its parts back, and waits again. */
  withdraw(job: string): void {
    const number = this.#numberOf(job)
    const start = this.#dispatcher.allocateSeq(number)
    this.#faultsRecorded(() => {
      const seq = this.#recorder.withdraw(this.#instant.now, job, start, start)
      this.#dispatcher.end(number, seq)
      this.requeue(job, seq)
    })
  }

  /** A job that was killed waits again. @param cause seq of what ended it */
  requeue(job: string, cause: number): void {
    this.#instant.cause = this.#recorder.requeue(this.#instant.now, job, cause)
    this.#dispatcher.readmit(this.#numberOf(job))
  }

  /** Nodes and links come to be of no use, or are of use again. Jobs hold none of those that fail. */
  change(change: 'down' | 'up', parts: Resources): void {
    this.#faultsRecorded(() => this.#dispatcher.change({ time: this.#instant.now, change, parts }))
  }

  /**
   * After `from`: jobs that can never run are rejected, whose scheduler had no time to say so, or whose policy is another one by now.
   *
   * @throws PolicyFaultError
   */
  recheck(): void {
    this.#faultsRecorded(() => {
      const { waiting } = this.#dispatcher
      for (let job = waiting.head; job !== undefined; job = waiting.after(job)) this.#dispatcher.rejectForGood(job)
    })
  }

  /** Decides. @throws PolicyFaultError that is in the log, where the policy fails: it is to be asked nothing more */
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
    const limit = fault.code === 'time' ? { limit: this.#rules.timeLimit!.milliseconds / 1000 } : {}
    const more = { code: fault.code, ...limit }
    const question = requestAsJson(request)
    const seq = this.#recorder.fault(time, request.job, request.purpose, question, fault.reason, cause, more)
    return fault.recordedAt({ seq, time })
  }
}

/** A job as its submit record has it. */
export function liveJobOf(submit: Submit): LiveJob {
  const { job, t, size, estimate = 0 } = submit
  return { id: job, submit: milliseconds(t), size, walltime: milliseconds(estimate), ...labelsOf(submit) }
}
