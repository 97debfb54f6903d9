import {
  type Allocate,
  countingRecorder,
  FoldError,
  type Header,
  headerTopology,
  type LogRecord,
  type LogState,
  milliseconds,
  resourcesOf,
  type Submit,
} from '@cloister/eventlog'
import type { BoundOrder } from '@cloister/ordering'
import type { Placement, Placer } from '@cloister/placement'
import type { Job, Jobs } from '@cloister/workload'
import { disciplineOf } from './disciplines/index.ts'
import { PolicyFaultError } from './policy-fault.ts'
import { jobOfRecord } from './records.ts'
import type { Verdict } from './refusal-reasons.ts'
import { reservationOf } from './reservation.ts'
import { Scheduler } from './scheduler.ts'
import { loggedQueue, rulesUnder } from './scheduling-rules.ts'
import type { Instant, Machine } from './setup.ts'
import type { RunTimes } from './simulation.ts'

/** Policy for a `LogScheduler`. */
export interface AskedPolicy<Index> {
  readonly placer: Placer<Index>
  /** Queue order of the log; undefined for the order of submission. */
  readonly order: BoundOrder | undefined
  /** Run times by placement, from the option `runTimes` of the log. Default: the same run time everywhere. */
  readonly runTimes?: RunTimes | undefined
  /** Greatest number of calls of the policy's `place`. Default: no limit. */
  readonly mostQuestions?: number | undefined
}

/**
 * The scheduler in the states of a log, with any policy. The log decides; the scheduler tells which jobs a scheduling
 * pass would start in the present state. An external queue counts as EASY with a window of all jobs.
 */
export class LogScheduler<Index> {
  readonly #scheduler: Scheduler<Index>
  readonly #jobs: Jobs
  readonly #numbers: ReadonlyMap<string, number>
  readonly #instant: Instant

  /** @param jobs jobs of the log in submit order; `walltime` is the estimate */
  constructor(header: Header, jobs: ReadonlyArray<Omit<Job, 'runTime'>>, policy: AskedPolicy<Index>) {
    const { placer, order, runTimes, mostQuestions } = policy
    const { options } = header
    const logged = loggedQueue(options)
    // A job without an estimate counts as a job without an end.
    this.#jobs = jobs.map((job) => ({ ...job, runTime: Infinity }))
    this.#numbers = new Map(jobs.map(({ id }, number) => [id, number]))
    this.#instant = { now: 0, cause: 0, pass: 0 }
    const queue = logged.backfill === 'external' ? ({ backfill: 'easy', window: Infinity } as const) : logged
    const setup = {
      ...rulesUnder(queue, options),
      topology: headerTopology(header),
      policyName: 'that is asked',
      placer,
      order,
      estimates: 'requested',
      refusals: false,
      recorder: countingRecorder(),
      ...(mostQuestions === undefined ? {} : { mostQuestions }),
    } as const
    const varies = runTimes !== undefined && options.estimates === 'exact'
    const machine: Machine = {
      estimateOn: varies ? (job, ...of) => runTimes(...of, jobs[job].walltime ?? Infinity) : undefined,
      start: () => undefined,
      onStart: () => {},
      onRelease: () => {},
    }
    this.#scheduler = new Scheduler(setup, this.#jobs, this.#instant, machine, disciplineOf)
  }

  /**
   * Returns the scheduler in a state.
   *
   * @param waiting waiting jobs of the queue: at least the head, the jobs to ask about, and the jobs with reservations;
   *   default: all waiting jobs of the state
   * @throws PolicyFaultError if the policy fails at a request key
   */
  static of<Index>(
    state: LogState,
    policy: AskedPolicy<Index>,
    waiting: Iterable<Submit> = state.waiting.values(),
  ): LogScheduler<Index> {
    const queued = [...waiting].sort((a, b) => a.seq - b.seq)
    const running = Array.from(state.running.values(), ({ submit }) => submit)
    const made = new LogScheduler(state.header, [...queued, ...running].map(jobOfRecord), policy)
    made.#instant.now = milliseconds(state.t)
    const numberOf = (job: string): number => made.#numbers.get(job)!
    made.#scheduler.restore(
      state,
      queued.map(({ job }) => job),
      numberOf,
    )
    for (const reserve of state.reservations.values()) if (made.#numbers.has(reserve.job)) made.#reserve(reserve)
    return made
  }

  /**
   * Follows the next record of the log.
   *
   * @throws PolicyFaultError if the policy fails at a request key
   * @throws FoldError if a job starts on nodes or links that are not free, or a job that does not run releases its nodes
   */
  apply(record: LogRecord): void {
    if (record.type === 'header') return
    const scheduler = this.#scheduler
    this.moveTo(record.t)
    switch (record.type) {
      case 'submit':
        return scheduler.readmit(this.#numberOf(record))
      case 'requeue':
        return scheduler.waiting.add(this.#numberOf(record))
      case 'cancel':
        if (scheduler.waiting.has(this.#numberOf(record))) scheduler.leaveQueue(this.#numberOf(record))
        return
      case 'reject':
        return scheduler.waiting.remove(this.#numberOf(record))
      case 'reserve':
        return this.#reserve(record)
      case 'unreserve':
        return scheduler.dropReservation(this.#numberOf(record))
      case 'allocate':
        return this.#allocate(record)
      case 'release':
        if (!scheduler.isRunning(this.#numberOf(record)))
          throw new FoldError(record, `job ${record.job} is not running`)
        return scheduler.end(this.#numberOf(record), record.seq)
      case 'down':
      case 'up':
        return scheduler.applyOutage(record.type, resourcesOf(record))
    }
  }

  /** Moves the time forward. @param t seconds, not before the last record */
  moveTo(t: number): void {
    this.#instant.now = milliseconds(t)
    this.#scheduler.waiting.begin?.()
  }

  /** Yields the ids of the waiting jobs in queue order. */
  *waiting(): Generator<string, void> {
    const { waiting } = this.#scheduler
    for (let job = waiting.head; job !== undefined; job = waiting.after(job)) yield this.#jobs.at(job)!.id
  }

  /**
   * Returns whether a pass now would start a waiting job, and otherwise the reason. Asks the policy even if the answer
   * is known.
   *
   * @throws PolicyFaultError
   */
  judge(job: string): Verdict {
    this.#scheduler.extendOverruns()
    return this.#scheduler.judge(this.#numbers.get(job)!)
  }

  /** Returns the placement on which a pass now would start a waiting job, if any. @throws PolicyFaultError */
  placementNow(job: string): Placement | undefined {
    this.#scheduler.extendOverruns()
    return this.#scheduler.placementNow(this.#numbers.get(job)!)
  }

  /** Reports that the log has made its scheduling pass at the present time. */
  endPass(): void {
    this.#scheduler.extendOverruns()
    this.#scheduler.endPass()
  }

  /** Returns true if the policy places a job on the empty, healthy cluster. @throws PolicyFaultError */
  canEverStart(job: string): boolean {
    return this.#scheduler.questions.refusalForGood(this.#numbers.get(job)!) === undefined
  }

  #numberOf({ job }: { readonly job: string }): number {
    return this.#numbers.get(job)!
  }

  #reserve(reserve: Extract<LogRecord, { readonly type: 'reserve' }>): void {
    this.#scheduler.adoptReservation({ ...reservationOf(reserve), job: this.#numberOf(reserve), seq: reserve.seq })
  }

  #allocate(record: Allocate): void {
    const job = this.#numberOf(record)
    this.#scheduler.waiting.remove(job)
    this.#scheduler.dropReservation(job)
    try {
      this.#scheduler.adopt(job, record, resourcesOf(record))
    } catch (error) {
      if (!(error instanceof PolicyFaultError) || error.code !== 'placement') throw error
      throw new FoldError(record, 'nodes or links are not free, or not in the machine')
    }
  }
}
