import type { Kill, Recorder } from '@cloister/eventlog'
import {
  type Allocation,
  ClusterState,
  type Placement,
  type Refusal,
  type Resources,
  StateError,
} from '@cloister/placement'
import { formatIdset } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import type { RateChange } from './contention.ts'
import type { Discipline } from './disciplines/discipline.ts'
import type { Durations } from './durations.ts'
import type { Instant } from './instant.ts'
import { checksumOf, endsOf } from './id-checksum.ts'
import { PolicyCalls } from './policy-calls.ts'
import type { PolicyFaultError } from './policy-fault.ts'
import { PolicyQueries } from './policy-queries.ts'
import { queueOrder } from './queue-order.ts'
import { constraintOf, RefusalReasons } from './refusal-reasons.ts'
import { Requests } from './requests.ts'
import type { Reservation } from './reservation.ts'
import { ReservedPlacements } from './reserved-placements.ts'
import { RouteRecords } from './route-records.ts'
import type { Outage, Simulation } from './simulation.ts'
import { submittedJob } from './submitted-job.ts'
import { type JobQueue, WaitingJobs } from './waiting-jobs.ts'

/** A job past its estimate is expected to end this long after the current scheduling pass, in milliseconds. */
export const OVERRUN_GRACE_MS = 1000

/**
 * The cluster with its waiting and running jobs. The dispatcher starts and ends jobs, and records every event. The
 * queue discipline decides which job starts; the policy decides on which nodes and links. Jobs are numbers in the
 * workload.
 */
export class Dispatcher<Index> {
  started = 0
  killed = 0
  /** Number of jobs that were cancelled while they waited; a cancelled running job counts in `killed`. */
  cancelled = 0
  readonly jobs: ReadonlyArray<Job>
  readonly recorder: Recorder
  readonly state: ClusterState<Index>
  readonly waiting: JobQueue
  readonly requests: Requests<Index>
  readonly policy: PolicyCalls<Index>
  readonly queries: PolicyQueries<Index>
  readonly #simulation: Simulation<Index>
  readonly #instant: Instant
  readonly #routes: RouteRecords<Index>
  readonly #onStart: (job: number, estimate: number, runTime: number) => void
  readonly #onRate: (job: number, rate: number) => void
  #discipline!: Discipline
  readonly #allocations: Array<Allocation | undefined>
  #allocateSeqs: Float64Array
  #checksums: Int32Array
  #lastStarted: Allocation | undefined
  #endsOfLast = 0
  readonly #reserved = new ReservedPlacements()
  #jobOfStart: Int32Array

  /**
   * @param onStart receives the estimate and the run time of each job that starts, integer milliseconds
   * @param onRate receives each changed rate of a running job, in 1/1000 of the rate at which the job runs alone
   * @param waiting an empty queue; default: a queue for exactly the jobs of the workload
   */
  constructor(
    simulation: Simulation<Index>,
    durations: Durations,
    instant: Instant,
    onStart: (job: number, estimate: number, runTime: number) => void,
    onRate: (job: number, rate: number) => void,
    waiting?: JobQueue,
  ) {
    const { placer, recorder, topology, workload, queue, estimates } = simulation
    this.#simulation = simulation
    this.#instant = instant
    this.#onStart = onStart
    this.#onRate = onRate
    this.policy = new PolicyCalls(simulation, durations.estimateOn !== undefined)
    this.#routes = new RouteRecords(simulation, this.policy)
    this.jobs = workload.jobs
    this.recorder = recorder
    this.state = new ClusterState(topology, { index: this.policy.index, linkCapacity: placer.linkCapacity ?? 0 })
    this.waiting = waiting ?? new WaitingJobs(queueOrder(workload.jobs, queue.order, estimates))
    this.requests = new Requests(simulation, durations, instant)
    const reasons = new RefusalReasons(simulation, this.policy, this.state, this.requests, this.waiting, instant)
    this.queries = new PolicyQueries(simulation, this.policy, this.state, this.requests, reasons)
    this.#allocations = new Array<Allocation | undefined>(this.jobs.length).fill(undefined)
    this.#allocateSeqs = new Float64Array(this.jobs.length)
    this.#checksums = new Int32Array(this.jobs.length)
    this.#jobOfStart = new Int32Array(this.jobs.length + 1)
  }

  follow(discipline: Discipline): void {
    this.#discipline = discipline
  }

  get now(): number {
    return this.#instant.now
  }
  get cause(): number {
    return this.#instant.cause
  }
  allocateSeq(job: number): number {
    return this.#allocateSeqs[job]
  }
  isRunning(job: number): boolean {
    return this.#allocations[job] !== undefined
  }
  jobOf(allocation: Allocation): number {
    return this.#jobOfStart[allocation.startOrder]
  }

  /** Queues a job. Rejects the job and returns the refusal if the policy refuses it on the empty, healthy cluster. */
  submit(job: number): Refusal | undefined {
    const submitted = submittedJob(this.jobs[job], this.requests.estimate(job), this.now)
    this.#instant.cause = this.recorder.record(submitted)
    this.waiting.add(job)
    return this.rejectForGood(job)
  }

  /** Rejects a job and returns the refusal if the policy refuses the job even on the empty, healthy cluster. */
  rejectForGood(job: number): Refusal | undefined {
    const refusal = this.queries.refusalForGood(job)
    if (refusal === undefined) return undefined
    this.waiting.remove(job)
    this.recorder.record({
      type: 'reject',
      t: this.now,
      job: this.jobs[job].id,
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
      job: this.jobs[job].id,
      cause: this.#allocateSeqs[job],
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

  /**
   * Takes over a running job of an earlier scheduler of the same log, without a record.
   *
   * @param seq seq of the record that started the job
   */
  adopt(job: number, allocation: Omit<Allocation, 'startOrder'>, seq: number): void {
    const adopted = { ...allocation, startOrder: this.started }
    this.#hold(
      job,
      adopted,
      this.policy.checkPlacement(this.#simulation.topology, allocation.job, { ok: true, ...adopted }),
    )
    this.#allocateSeqs[job] = seq
    this.#routes.adopt(adopted)
  }

  /** Queues a job that already has a submit record. @throws PolicyFaultError */
  readmit(job: number): void {
    this.queries.know(job)
    this.waiting.add(job)
  }

  /** Returns true if a job can start now on a placement that the policy gave earlier. */
  canStartOn(placement: Placement): boolean {
    return this.state.isFree(placement, placement.bandwidth)
  }

  /** Kills a job; returns the seq of the kill record. @param cause seq of the record that made the kill necessary */
  kill(job: number, code: Kill['code'], cause: number, happened?: number): number {
    const seq = this.recorder.record({ type: 'kill', t: this.now, job: this.jobs[job].id, code, cause, happened })
    if (code === 'estimate' || code === 'reservation') this.#instant.cause = seq
    this.killed++
    this.#release(job, seq)
    if ((code === 'reservation' || code === 'node-down') && this.#simulation.requeue === true) {
      this.recorder.record({ type: 'requeue', t: this.now, job: this.jobs[job].id, cause: seq })
      this.waiting.add(job)
    }
    return seq
  }

  cancel(job: number, happened?: number): void {
    this.#instant.cause = this.recorder.record({ type: 'cancel', t: this.now, job: this.jobs[job].id, happened })
    if (this.isRunning(job)) {
      this.kill(job, 'cancel', this.cause)
      return
    }
    this.waiting.remove(job)
    this.#reserved.take(job)
    this.cancelled++
    this.#discipline.onCancel()
  }

  #release(job: number, cause: number): void {
    const allocation = this.#allocations[job]!
    this.#checkKept(allocation)
    const seq = this.recorder.record({ type: 'release', t: this.now, job: this.jobs[job].id, cause })
    this.#routes.remove(this.now, allocation.job, seq)
    this.state.release(allocation)
    this.#allocations[job] = undefined
    const { contention } = this.#simulation
    if (contention !== undefined) this.#changeRates(contention.end(job), seq)
    this.queries.refused.forget()
    this.#discipline.onRelease(allocation)
  }

  #changeRates(changes: ReadonlyArray<RateChange>, cause: number): void {
    for (const { job, rate } of changes) {
      this.recorder.record({ type: 'progress', t: this.now, job: this.jobs[job].id, rate, cause })
      this.#onRate(job, rate)
    }
  }

  /** Applies a failure or repair of nodes and links. Kills the jobs on failed nodes, in submit order. */
  change({ change, resources }: Outage): void {
    const { recorder, state } = this
    this.#instant.cause = recorder.record({ type: change, t: this.now, ...resources })
    if (change === 'down') state.fail(resources)
    else {
      state.restore(resources)
      this.queries.refused.forget()
    }
    this.#discipline.onOutage(change)
    if (change === 'up') return
    const failed = new Set(Array.from(resources.nodes))
    const hit = state.running
      .filter(({ nodes }) => Array.from(nodes).some((node) => failed.has(node)))
      .map((allocation) => this.jobOf(allocation))
    for (const job of hit.sort((a, b) => a - b)) this.kill(job, 'node-down', this.cause)
  }

  /** Makes a scheduling pass. First moves expected ends that are not after now to `OVERRUN_GRACE_MS` after now. */
  pass(): void {
    this.#instant.pass++
    this.#extendOverruns()
    this.#discipline.pass()
  }

  #extendOverruns(): void {
    const { running } = this.state
    while (running.length > 0 && running[0].estimatedEnd <= this.now) {
      const allocation = running[0]
      const extended = this.state.reestimate(allocation, this.now + OVERRUN_GRACE_MS)
      this.#allocations[this.jobOf(allocation)] = extended
      this.#discipline.onOverrun(allocation, extended)
    }
  }

  /**
   * Starts jobs until the policy refuses the head, and returns that head; undefined if the queue is empty.
   *
   * @param reserved returns the reserved placement if the head may start there although the policy refuses the head
   */
  startFromHead(reserved?: (head: number) => Placement | undefined): number | undefined {
    for (;;) {
      const { head } = this.waiting
      if (head === undefined) return undefined
      const placement = this.queries.placeNow(head) ?? reserved?.(head)
      if (placement === undefined) return head
      this.start(head, placement, undefined)
    }
  }

  /** Records a reservation; returns the record's seq. @throws PolicyFaultError if the topology lacks a node or link */
  reserve(job: number, { start, placement }: Reservation): number {
    this.#reserved.set(job, { placement, checksum: this.checkPlacement(job, placement) })
    return this.recorder.record({
      type: 'reserve',
      t: this.now,
      job: this.jobs[job].id,
      start,
      nodes: placement.nodes,
      links: placement.links,
      bandwidth: placement.bandwidth,
      cause: this.cause,
    })
  }

  /**
   * @param backfill seq of the head's reserve record if the job starts before the head; else undefined
   * @throws PolicyFaultError if a node or link of the placement does not exist or is not free
   */
  start(job: number, placement: Placement, backfill: number | undefined): Allocation {
    const checksum = this.checkPlacement(job, placement)
    const { runTime, estimate } = this.requests.durationOfStart(job, this.state, placement)
    const allocation = this.#allocationOf(job, placement, this.now + estimate)
    this.#checkRewritten(job, placement, checksum)
    this.#hold(job, allocation, checksum)
    this.waiting.remove(job)
    const seq = this.recorder.record({
      type: 'allocate',
      t: this.now,
      job: allocation.job,
      nodes: placement.nodes,
      links: placement.links,
      ranks: placement.ranks,
      bandwidth: placement.bandwidth,
      estimate: estimate === this.requests.estimate(job) ? undefined : estimate,
      backfill,
      note: placement.note,
      cause: this.cause,
    })
    this.#allocateSeqs[job] = seq
    this.#routes.add(this.now, allocation, seq)
    this.#onStart(job, estimate, runTime)
    const { contention } = this.#simulation
    if (contention !== undefined) this.#changeRates(contention.start(job, this.jobs[job], placement), seq)
    this.#discipline.onStart(allocation)
    return allocation
  }

  #hold(job: number, allocation: Allocation, checksum: number): void {
    this.#apply(allocation)
    if (job >= this.#checksums.length) this.#grow(job)
    this.#checksums[job] = checksum
    this.#lastStarted = allocation
    this.#endsOfLast = endsOf(allocation)
    this.#allocations[job] = allocation
    if (this.started === this.#jobOfStart.length) {
      const jobs = this.#jobOfStart
      this.#jobOfStart = new Int32Array(2 * jobs.length)
      this.#jobOfStart.set(jobs)
    }
    this.#jobOfStart[this.started++] = job
  }

  /** A live scheduler does not know the number of its jobs in advance. */
  #grow(job: number): void {
    const [seqs, checksums] = [this.#allocateSeqs, this.#checksums]
    this.#allocateSeqs = new Float64Array(2 * job + 64)
    this.#allocateSeqs.set(seqs)
    this.#checksums = new Int32Array(2 * job + 64)
    this.#checksums.set(checksums)
  }

  /**
   * Calls `ask`, a question to the policy about a second job. `placement` is an earlier answer of the policy for `job`.
   *
   * @throws PolicyFaultError if the policy writes to `placement` during `ask`
   */
  keeping<Answer>(job: number, placement: Placement, ask: () => Answer): Answer {
    const checksum = this.checkPlacement(job, placement)
    const answer = ask()
    if (this.#checksumOf(placement) !== checksum) throw this.#rewritten(job, placement)
    return answer
  }

  /** Returns the allocation of the job if it started now. The end follows the job's estimate on the placement. */
  expectedAllocation(job: number, placement: Placement): Allocation {
    this.checkPlacement(job, placement)
    return this.#allocationOf(job, placement, this.now + this.requests.estimateOn(job, this.state, placement))
  }

  #allocationOf(job: number, placement: Placement, estimatedEnd: number): Allocation {
    const { nodes, links, bandwidth } = placement
    const { id, communication } = this.jobs[job]
    const communicates = communication !== undefined
    const allocation =
      bandwidth === undefined
        ? { job: id, nodes, links, communicates, estimatedEnd, startOrder: this.started }
        : { job: id, nodes, links, communicates, estimatedEnd, startOrder: this.started, bandwidth }
    this.state.knowAlike(placement, allocation)
    return allocation
  }

  #apply(allocation: Allocation): void {
    try {
      this.state.apply(allocation)
    } catch (error) {
      if (!(error instanceof StateError)) throw error
      throw this.policy.fault('placement', `gave job ${allocation.job} a placement that is not free: ${error.message}`)
    }
  }

  /** Returns a checksum of the placement's ids. @throws PolicyFaultError if a node or link is not on the topology */
  checkPlacement(job: number, placement: Placement): number {
    return this.policy.checkPlacement(this.#simulation.topology, this.jobs[job].id, placement)
  }

  /** Finds a policy that uses one array for all answers: a new answer overwrites the last allocation or reservation. */
  #checkRewritten(job: number, placement: Placement, checksum: number): void {
    const last = this.#lastStarted
    if (last !== undefined && endsOf(last) !== this.#endsOfLast) this.#checkKept(last)
    const reserved = this.#reserved.take(job)
    if (reserved === undefined) return
    if (reserved.placement === placement && reserved.checksum !== checksum) throw this.#rewritten(job, placement)
  }

  #checkKept(allocation: Allocation): void {
    const job = this.jobOf(allocation)
    if (this.isRunning(job) && this.#checksumOf(allocation) !== this.#checksums[job])
      throw this.#rewritten(job, allocation)
  }

  #checksumOf(resources: Resources): number | undefined {
    return checksumOf(this.#simulation.topology, resources)
  }

  #rewritten(job: number, { nodes }: Resources): PolicyFaultError {
    const now = formatIdset(Array.from(nodes).toSorted((a, b) => a - b))
    return this.policy.fault(
      'rewritten',
      `changed its answer for job ${this.jobs[job].id} after the answer: the same arrays now name nodes ${now}; return new arrays with each answer`,
    )
  }
}
