import { type Allocate, type Kill, type LogState, milliseconds, type Recorder } from '@cloister/eventlog'
import type { QueueView } from '@cloister/ordering'
import { type Allocation, ClusterState, type Placement, type Refusal, type Resources } from '@cloister/placement'
import type { Jobs } from '@cloister/workload'
import type { Discipline } from './disciplines/discipline.ts'
import { GuardedPolicy } from './guarded-policy.ts'
import { recordingFaults } from './policy-fault.ts'
import { Questions } from './questions.ts'
import { queueOf } from './queue-of.ts'
import { QueueHistory, viewOfJobs } from './queue-view.ts'
import { reservedJob, startedJob, submittedJob } from './records.ts'
import { Migration, type MoveConditions } from './migration.ts'
import { constraintOf, RefusalReasons, type Verdict } from './refusal-reasons.ts'
import { Requests } from './requests.ts'
import { RouteRecords } from './route-records.ts'
import type { RecordedReservation, Reservation } from './reservation.ts'
import { OVERRUN_GRACE_MS, RunningJobs } from './running-jobs.ts'
import type { Instant, Machine, SchedulerSetup } from './setup.ts'
import type { Outage } from './simulation.ts'
import type { JobQueue } from './waiting-jobs.ts'

/** Codes of kills that are no fault of the job. */
const mayWaitAgain: ReadonlySet<Kill['code']> = new Set(['reservation', 'node-down', 'unroutable'])

/**
 * The scheduler: one step for simulations, real machines and reruns. The caller begins an instant (`begin`), reports
 * the events of the instant (`finish`, `change`, `cancel`, `submit`), and then makes a scheduling pass (`pass`). The
 * queue discipline decides which job starts; the policy decides on which nodes and links. Every event and every decision
 * goes to the recorder. Jobs are numbers, their places in `jobs`.
 */
export class Scheduler<Index> {
  killed = 0
  /** Number of jobs that were cancelled while they waited; a cancelled running job counts in `killed`. */
  cancelled = 0
  /** True if a start by moves has ended the scheduling pass: the discipline starts no further job. */
  isPassOver = false
  /** Undefined if running jobs stay on their nodes. */
  readonly migration: Migration<Index> | undefined
  readonly jobs: Jobs
  readonly recorder: Recorder
  readonly state: ClusterState<Index>
  readonly waiting: JobQueue
  readonly requests: Requests
  readonly questions: Questions<Index>
  readonly #policy: GuardedPolicy<Index>
  readonly #instant: Instant
  readonly #machine: Machine
  readonly #routes: RouteRecords<Index>
  readonly #reasons: RefusalReasons<Index>
  readonly #discipline: Discipline
  readonly #requeues: boolean
  readonly #estimates: SchedulerSetup['estimates']
  readonly #killsUnroutable: boolean
  /** Number of moves of running jobs so far. */
  #moves = 0
  readonly #timeLimit: number | undefined
  readonly #running: RunningJobs<Index>
  /** Undefined if the order asks for scores of jobs alone. */
  readonly #history: QueueHistory | undefined
  readonly #onOverrun = (former: Allocation, extended: Allocation): void => this.#discipline.onOverrun(former, extended)

  /**
   * @param jobs all jobs of the run, or an array to which the caller adds each job before its submission
   * @param disciplineOf makes the queue discipline
   * @param grows true if the caller adds jobs to `jobs` later
   */
  constructor(
    setup: SchedulerSetup<Index>,
    jobs: Jobs,
    instant: Instant,
    machine: Machine,
    disciplineOf: (scheduler: Scheduler<Index>, setup: SchedulerSetup<Index>) => Discipline,
    grows: boolean = false,
  ) {
    const { placer, recorder, topology, order, estimates } = setup
    this.jobs = jobs
    this.recorder = recorder
    this.#instant = instant
    this.#machine = machine
    this.#requeues = setup.requeue === true
    this.#estimates = estimates
    this.#killsUnroutable = setup.unroutable === 'kill'
    this.#timeLimit = setup.timeLimit?.milliseconds
    const policy = new GuardedPolicy(topology, setup, machine.estimateOn !== undefined, jobs.length)
    this.#policy = policy
    this.#routes = new RouteRecords(topology, setup, policy)
    this.state = new ClusterState(topology, { index: policy.index, linkCapacity: placer.linkCapacity ?? 0 })
    this.#running = new RunningJobs(jobs, this.state, policy)
    const ordering = order?.ordering
    const claims = ordering?.claims ?? { fixed: true }
    if (!claims.fixed || ordering?.scoreBehindHead !== undefined)
      this.#history = new QueueHistory(jobs, estimates, this.#running, instant, claims.history === true)
    this.waiting = queueOf(jobs, order, estimates, instant, grows, claims.fixed ? undefined : this.#history)
    this.requests = new Requests(jobs, estimates, machine.estimateOn, policy, instant)
    this.#reasons = new RefusalReasons(setup, jobs, policy, this.state, this.requests, this.waiting, instant)
    this.questions = new Questions(setup, policy, this.state, this.requests, this.#reasons)
    this.migration = setup.migrate && new Migration(this, setup.migrate)
    this.#discipline = disciplineOf(this, setup)
    this.#routes.begin()
  }

  get now(): number {
    return this.#instant.now
  }
  get cause(): number {
    return this.#instant.cause
  }
  /** Time of the next pass that is due without an event, integer milliseconds; Infinity if no pass is due. */
  get wakeTime(): number {
    return this.#discipline.wakeTime
  }
  /** Number of starts so far, without moves. */
  get started(): number {
    return this.#running.starts - this.#moves
  }
  allocateSeq(job: number): number {
    return this.#running.seqOf(job)
  }
  isRunning(job: number): boolean {
    return this.#running.has(job)
  }
  jobOf(allocation: Allocation): number {
    return this.#running.jobOf(allocation)
  }

  /** Begins an instant. @param now integer milliseconds, not after `wakeTime` */
  begin(now: number): void {
    if (this.#discipline.wakeTime === now) this.#instant.cause = this.#discipline.wakeCause
    this.#instant.now = now
  }

  /** Makes a scheduling pass. A start by moves ends a pass, and another pass follows: other jobs may fit now. */
  pass(): void {
    do {
      this.isPassOver = false
      this.#instant.pass++
      this.waiting.begin?.()
      this.extendOverruns()
      this.#discipline.pass()
    } while (this.isPassOver)
  }

  /** Moves expected ends that are not after now to `OVERRUN_GRACE_MS` after now. */
  extendOverruns(): void {
    this.#running.extend(this.now, this.now + OVERRUN_GRACE_MS, this.#onOverrun)
  }

  // Events

  /** Queues a job. Rejects the job and returns the refusal if the policy refuses it on the empty, healthy cluster. */
  submit(job: number): Refusal | undefined {
    this.requests.know(job)
    this.#instant.cause =
      this.recorder.count?.('submit') ??
      this.recorder.record(submittedJob(this.jobs.at(job)!, this.requests.estimateOf(job), this.now))
    this.waiting.add(job)
    return this.rejectForGood(job)
  }

  /** Rejects a job and returns the refusal if the policy refuses the job even on the empty, healthy cluster. */
  rejectForGood(job: number): Refusal | undefined {
    const refusal = this.questions.refusalForGood(job)
    if (refusal === undefined) return undefined
    this.waiting.remove(job)
    this.recorder.record({
      type: 'reject',
      t: this.now,
      job: this.jobs.at(job)!.id,
      code: refusal.code,
      constraint: constraintOf(refusal),
      cause: this.cause,
    })
    return refusal
  }

  finish(job: number, failed: boolean = false, happened?: number): void {
    this.#instant.cause = this.recorder.record({
      type: 'finish',
      t: this.now,
      job: this.jobs.at(job)!.id,
      cause: this.allocateSeq(job),
      status: failed ? 'failed' : undefined,
      happened,
    })
    this.#release(job, this.cause)
  }

  /** Ends a running job without a finish or kill record. @param seq seq of the earlier record that ended the job */
  end(job: number, seq: number): void {
    this.#instant.cause = seq
    this.#release(job, seq)
  }

  /** Kills a job; returns the seq of the kill record. @param cause seq of the record that made the kill necessary */
  kill(job: number, code: Kill['code'], cause: number, happened?: number): number {
    const seq = this.recorder.record({ type: 'kill', t: this.now, job: this.jobs.at(job)!.id, code, cause, happened })
    if (code === 'estimate' || code === 'reservation') this.#instant.cause = seq
    this.killed++
    this.#release(job, seq)
    if (mayWaitAgain.has(code) && this.#requeues) {
      this.recorder.record({ type: 'requeue', t: this.now, job: this.jobs.at(job)!.id, cause: seq })
      this.waiting.add(job)
    }
    return seq
  }

  cancel(job: number, happened?: number): void {
    this.#instant.cause = this.recorder.record({ type: 'cancel', t: this.now, job: this.jobs.at(job)!.id, happened })
    if (this.isRunning(job)) {
      this.kill(job, 'cancel', this.cause)
      return
    }
    this.leaveQueue(job)
    this.cancelled++
  }

  /** Removes a waiting job from the queue. */
  leaveQueue(job: number): void {
    this.waiting.remove(job)
    this.#policy.unreserve(job)
    this.#discipline.onCancel()
  }

  #release(job: number, cause: number): void {
    this.#machine.onRelease(job, this.#vacate(job, cause))
  }

  /**
   * Frees the nodes and links of a job; returns the seq of the release record.
   *
   * @param startOf id of the job for whose start the released job moves; absent for a job that has ended
   */
  #vacate(job: number, cause: number, startOf?: string): number {
    const allocation = this.#running.ending(job)
    const seq = this.recorder.record({ type: 'release', t: this.now, job: allocation.job, for: startOf, cause })
    this.#routes.remove(this.now, allocation.job, seq)
    this.#history?.onEnd(job)
    this.#running.release(job, allocation)
    this.questions.refused.forget()
    this.migration?.onRelease()
    this.#discipline.onRelease(allocation)
    return seq
  }

  /**
   * Applies a failure or repair of nodes and links. Kills the jobs on failed nodes, then changes the forwarding tables,
   * and with the rule `unroutable` kills the jobs that lost their routes. Kills are in submit order.
   */
  change({ change, resources, rails, cables }: Omit<Outage, 'time'>): void {
    const seq = this.recorder.record({ type: change, t: this.now, ...resources, rails, cables })
    this.#instant.cause = seq
    this.applyOutage(change, resources)
    if (change === 'down') {
      const failed = new Set(Array.from(resources.nodes))
      const hit = this.state.running.filter(({ nodes }) => Array.from(nodes).some((node) => failed.has(node)))
      this.#killAll(hit, 'node-down', () => seq)
    }
    const lost = new Map(this.#routes.change(this.now, change, resources, seq).map(({ job, seq }) => [job, seq]))
    if (!this.#killsUnroutable || lost.size === 0) return
    const unroutable = this.state.running.filter(({ job }) => lost.has(job))
    this.#killAll(unroutable, 'unroutable', ({ job }) => lost.get(job)!)
  }

  #killAll(hit: ReadonlyArray<Allocation>, code: Kill['code'], causeOf: (allocation: Allocation) => number): void {
    const kills = hit.map((allocation) => [this.jobOf(allocation), causeOf(allocation)] as const)
    for (const [job, cause] of kills.sort(([a], [b]) => a - b)) this.kill(job, code, cause)
  }

  /** Applies a failure or repair without a record, and without an effect on running jobs. */
  applyOutage(change: Outage['change'], resources: Resources): void {
    if (change === 'down') this.state.fail(resources)
    else {
      this.state.restore(resources)
      this.questions.refused.forget()
    }
    this.#discipline.onOutage(change)
  }

  /**
   * Takes over a running job of an earlier scheduler of the same log, without a record.
   *
   * @param record record that started the job
   * @param resources nodes and links of the record
   * @param route seq of the first route record of the job, if the log has one
   */
  adopt(job: number, { t, seq, estimate, bandwidth }: Allocate, { nodes, links }: Resources, route?: number): void {
    this.requests.know(job)
    const lasts = estimate === undefined ? this.requests.estimateOf(job) : milliseconds(estimate)
    const placement = { ok: true, nodes, links, ...(bandwidth === undefined ? {} : { bandwidth }) } as const
    const adopted = this.#running.allocationOf(job, placement, milliseconds(t) + lasts)
    this.#running.start(job, adopted, this.checkPlacement(job, placement))
    this.#history?.onStart(job, milliseconds(t))
    this.#running.setSeq(job, seq)
    this.#routes.adopt(adopted, route)
    this.#discipline.onStart(adopted)
  }

  /** Queues a job that already has a submit record. @throws PolicyFaultError */
  readmit(job: number): void {
    this.requests.know(job)
    this.requests.addKey(job, this.requests.of(job, 'start'))
    this.waiting.add(job)
  }

  /**
   * Takes over the running jobs, the queue, and the failed nodes and links of a log's state, without records.
   *
   * @param waiting ids of the waiting jobs to queue
   * @param numberOf returns the number of a job
   */
  restore(state: LogState, waiting: Iterable<string>, numberOf: (job: string) => number): void {
    for (const [job, { allocate, ...held }] of state.running)
      this.adopt(numberOf(job), allocate, held, state.routesOf(job)[0]?.seq)
    for (const job of waiting) this.readmit(numberOf(job))
    this.#history?.restore(state.endedRuns)
    const down = { nodes: state.downNodes.ids(), links: state.downLinks.map((each) => each.ids()) }
    if ([down.nodes, ...down.links].some(({ length }) => length > 0)) {
      this.state.fail(down)
      this.#routes.adoptFailure(down)
    }
    // A state does not tell whether its last pass has tried all reservations again.
    this.#discipline.onCancel()
  }

  /** Reports the end of a pass whose decisions came from a log. */
  endPass(): void {
    this.#discipline.endPass()
  }

  /** Takes over a reservation of a log. */
  adoptReservation(reservation: RecordedReservation): void {
    this.#discipline.adopt(reservation)
  }

  /** Forgets the reservation of a job, which the log withdraws. */
  dropReservation(job: number): void {
    this.#discipline.drop(job)
  }

  /** Returns the queue as an order sees it. @param waiting jobs of the view, in queue order */
  viewOf(waiting: ArrayLike<number>): QueueView {
    return this.#history?.view(waiting) ?? viewOfJobs(this.jobs, this.#estimates, waiting)
  }

  // Decisions

  /** Returns the placement on which a tried job would start in a scheduling pass now, if any. Starts no job. */
  placementNow(job: number): Placement | undefined {
    return this.#discipline.placementNow(job)
  }

  /** Returns the same placement, or the reason of the job's wait. Asks the policy even if the answer is known. */
  judge(job: number): Verdict {
    return this.#reasons.judge(job, () => this.#discipline.placementNow(job))
  }

  /**
   * Starts jobs until the policy refuses the head, and returns that head; undefined if the queue is empty or the pass is
   * over.
   *
   * @param reserved returns the reserved placement if the head may start there although the policy refuses the head
   * @param first job that counts as the head until it starts; default: the head of the queue
   */
  startFromHead(reserved?: (head: number) => Placement | undefined, first?: number): number | undefined {
    for (let head = first ?? this.waiting.head; head !== undefined; head = this.waiting.head) {
      const placement = this.questions.placeNow(head) ?? reserved?.(head)
      if (placement !== undefined) this.start(head, placement, undefined)
      else return this.startByMoves(head) ? undefined : head
    }
    return undefined
  }

  /**
   * Returns true if a job can start now on a placement that the policy gave earlier; false if nodes or links do not
   * exist, which `reserve` reports as a fault of the policy.
   */
  canStartOn(placement: Placement): boolean {
    return this.#running.canStartOn(placement)
  }

  /**
   * @param backfill seq of the head's reserve record if the job starts before the head; else undefined
   * @throws PolicyFaultError if a node or link of the placement does not exist or is not free
   */
  start(job: number, placement: Placement, backfill: number | undefined): Allocation {
    const checksum = this.checkPlacement(job, placement)
    const own = this.requests.estimateOf(job)
    const estimate = this.#machine.start(job, this.state, this.requests.of(job, 'start'), placement) ?? own
    this.waiting.remove(job)
    const allocation = this.#allocate(job, placement, checksum, estimate, backfill)
    this.#machine.onStart(job, placement, estimate, this.allocateSeq(job))
    this.#discipline.onStart(allocation)
    return allocation
  }

  /**
   * Starts a job on nodes and links that running jobs leave, if running jobs may move and such jobs are found. The
   * running jobs release their allocations, the job starts, and the running jobs get their new allocations.
   *
   * @param onReleased called before the job starts; returns `backfill` of the start
   */
  startByMoves(job: number, conditions?: MoveConditions<Index>, onReleased?: () => number | undefined): boolean {
    const { migration } = this
    const found = migration?.find(job, conditions)
    if (migration === undefined || found === undefined) return false
    const { id } = this.jobs.at(job)!
    const released = found.moves.map((move) => this.#vacate(move.job, this.cause, id))
    this.start(job, found.placement, onReleased?.())
    found.moves.forEach(({ job: moved, placement, estimate }, at) => {
      const checksum = this.checkPlacement(moved, placement)
      const allocation = this.#allocate(moved, placement, checksum, estimate, undefined, released[at])
      this.#machine.onMove?.(moved, migration.cost)
      this.#discipline.onStart(allocation)
    })
    this.#moves += found.moves.length
    this.isPassOver = true
    return true
  }

  /** Starts a job in a fork of the state. @throws PolicyFaultError if the placement is not free there, or invalid */
  tryOut(fork: ClusterState<Index>, job: number, placement: Placement, estimate: number): void {
    this.checkPlacement(job, placement)
    this.#running.tryOut(fork, this.#running.allocationOf(job, placement, this.now + estimate))
  }

  /** Gives nodes and links to a job. @param moved seq of the release record of the same move; absent for a start */
  #allocate(
    job: number,
    placement: Placement,
    checksum: number,
    estimate: number,
    backfill?: number,
    moved?: number,
  ): Allocation {
    const allocation = this.#running.allocationOf(job, placement, this.now + estimate)
    this.#policy.checkBeforeStart(job, allocation.job, placement, checksum)
    this.#running.start(job, allocation, checksum)
    this.#history?.onStart(job, this.now)
    const own = this.requests.estimateOf(job)
    const seq =
      this.recorder.count?.('allocate') ??
      this.recorder.record(
        startedJob(allocation.job, placement, estimate === own ? undefined : estimate, {
          t: this.now,
          backfill,
          moved,
          cause: this.cause,
        }),
      )
    this.#running.setSeq(job, seq)
    this.#routes.add(this.now, allocation, seq)
    return allocation
  }

  /** Records a reservation; returns the record's seq. @throws PolicyFaultError if the topology lacks a node or link */
  reserve(job: number, { start, placement }: Reservation): number {
    const { id } = this.jobs.at(job)!
    this.#policy.reserve(job, id, placement)
    return (
      this.recorder.count?.('reserve') ??
      this.recorder.record(reservedJob(id, placement, { t: this.now, start, cause: this.cause }))
    )
  }

  /** Records that a reservation is withdrawn. */
  unreserve({ job, seq }: Pick<RecordedReservation, 'job' | 'seq'>): void {
    this.recorder.record({ type: 'unreserve', t: this.now, job: this.jobs.at(job)!.id, for: seq, cause: this.cause })
  }

  /** Returns the allocation of the job if it started now. The end follows the job's estimate on the placement. */
  expectedAllocation(job: number, placement: Placement): Allocation {
    this.checkPlacement(job, placement)
    return this.#running.allocationOf(job, placement, this.now + this.requests.estimateOn(job, this.state, placement))
  }

  /** Returns a checksum of the placement's ids. @throws PolicyFaultError if a node or link is not on the topology */
  checkPlacement(job: number, placement: Placement): number {
    return this.#policy.checkPlacement(this.jobs.at(job)!.id, placement)
  }

  /** Calls `ask`, a question about a second job. @throws PolicyFaultError if the policy writes to `placement` then */
  keeping<Answer>(job: number, placement: Placement, ask: () => Answer): Answer {
    return this.#policy.keeping(this.jobs.at(job)!.id, placement, ask)
  }

  /** Calls `act`. Records a failure of the policy, unless it is recorded or came before the first request. */
  recordingFaults<Answer>(act: () => Answer): Answer {
    return recordingFaults(act, this.recorder, this.#instant, this.#timeLimit)
  }
}
