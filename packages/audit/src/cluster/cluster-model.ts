import type {
  Allocate,
  Cancel,
  Finish,
  Header,
  Kill,
  LogRecord,
  Release,
  Reserve,
  Submit,
  Unreserve,
  Withdraw,
} from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { MachineModel } from './machine-model.ts'
import { Effort } from '../effort.ts'
import { HeldJobs } from './held-jobs.ts'
import { type JobQueue, JobRegister, WaitingQueue } from './job-lists.ts'
import {
  endByEstimate,
  endsRound,
  estimateOf,
  type Job,
  type JobAllocation,
  type JobState,
  milliseconds,
  requestOf,
  type Reservation,
  schedulerRules,
  type SchedulerRules,
} from './jobs.ts'
import { type NamedResources, ResourceReader } from './named-resources.ts'
import { queueOrderOf } from './queue-orders.ts'
import { comesBefore, RankedQueue } from './ranked-queue.ts'
import { PassedJobs } from './passed-jobs.ts'
import type { QueueOrder } from './scores.ts'

/**
 * The auditor's own model of the cluster and its jobs. The model follows every record without checks: an allocate takes
 * each named resource from any earlier owner, and a release frees the resources that still belong to the released
 * allocation. The invariants check the records.
 *
 * For each record the auditor calls `read`, then the checks of the invariants, then `apply`.
 */
export class ClusterModel extends MachineModel {
  readonly header: Header
  readonly rules: SchedulerRules
  readonly jobs: JobRegister<Job> = new JobRegister()
  /** Jobs with an allocation, by the seq of the allocate record. */
  readonly holders: Map<number, Job> = new Map()
  /** Reservations in force, by the seq of the reserve record. */
  readonly reservations: Map<number, Reservation> = new Map()
  /**
   * Waiting jobs in queue order; in submit order if the auditor does not know the queue order. An order whose scores
   * change is the order of the present scheduling pass; before the turn to a new pass, of the pass that is over.
   */
  readonly queue: JobQueue<Job>
  /** Reason why the auditor does not know the queue order; undefined if it does. */
  readonly whyOrderUnknown: string | undefined
  /** Number of faults that may come from rounded scores. */
  doubtful = 0
  /** Time of the scheduling pass to which questions about the queue refer, in ms. */
  passTime = 0
  readonly effort: Effort = new Effort()
  /** Start of the part of a run that the log has, in ms; 0 for the log of a whole run. */
  readonly partFrom: number
  /** Number of tests that were passed over because their records came before the part of a run that the log has. */
  passedOver = 0
  /** Number of refusals and rejections with a constraint that no count of nodes decides. */
  uncounted = 0
  /** Number of times that failed nodes and links excused a job although enough nodes were up. */
  excused = 0
  /** Number of times a job waited without a refusal because its plan may count nodes of a late job twice. */
  countedTwice = 0
  /** Reason why the auditor does not search all placements of a complete policy; undefined if the auditor does. */
  unsearched: string | undefined
  /** True once a job that communicates was submitted. */
  #hasCommunication = false
  /** Time of the latest record except header and seals, in ms. */
  time = 0
  /** Time of the record before the latest record, in ms. Header and seals are left out. */
  previousTime = 0
  /** Number of instants so far, the present instant included. A new instant begins at each change of `time`. */
  instant = 0
  /** Names of rules that the caller of the audit asks for, in addition to the rule that the policy claims. */
  readonly asked: ReadonlySet<string>
  /**
   * Seq of the record that causes the scheduling pass of the present instant: the last input, or a later kill for an
   * estimate or a reservation. 0 if the instant has no such record yet.
   */
  passTrigger = 0
  /** Number of the present scheduling pass: one an instant, one more for each further round and start by moves. */
  pass = 0
  /** True if the latest record is the first record after a scheduling pass. */
  isPassOver = false
  /** True if `isPassOver`, and neither the instant of the pass nor the latest record has a gap: the pass came to its end. */
  isWholePassOver = false
  /** True if `isPassOver`, and a start by moves ended the pass before its end: the next pass tries all jobs again. */
  isPassCut = false
  #hasGap = false
  /** Job for whose reservation the present pass killed jobs, until the first record after the pass was checked. */
  killedFor: Job | undefined
  #hasDecided = false
  /** Number of moving jobs: released for a move, and not yet allocated again. */
  #moving = 0
  /** True if the latest record was the last of a start by moves, which ends a scheduling pass. */
  #haveMoved = false
  /** Job of the record that was read last; undefined if the record names no job, or a job that was never submitted. */
  job: Job | undefined
  /** Nodes and links of the record that was read last; undefined if the record has no field `nodes`. */
  named: NamedResources | undefined

  /** Requests of the jobs that the policy has placed since the last failure of a node or link. */
  readonly #placedBesideFailures = new Set<string>()
  /** Queue order; undefined for the order of submission, and for an order that the auditor does not know. */
  readonly #order: QueueOrder | undefined
  /** The queue, if its order changes. */
  readonly #ranked: RankedQueue | undefined
  readonly #held = new HeldJobs()
  readonly #passed = new PassedJobs(this)
  /** Jobs that the present scheduling pass has started, if scores are rounded. */
  readonly #started: Array<Job> = []
  readonly #resourceReader: ResourceReader
  readonly #bandwidthBeyond: Uint32Array

  /**
   * True for the log of a whole simulation, which ends with an empty machine. After the end of a log of a real machine
   * (origin `observed` or `driven`) or of a part of a run, jobs may run on.
   */
  get endsItself(): boolean {
    return this.header.origin === 'simulated' && this.header.part === undefined
  }

  /**
   * True if the log is a part of a run, and the latest record, or the scheduling pass that is over, came before the part.
   * The log then lacks records of jobs that ended before the part.
   */
  get isBeforePart(): boolean {
    return (this.isPassOver ? this.previousTime : this.time) < this.partFrom
  }

  /** True if the latest record is the first of its instant, or the end record: the instant before is over. */
  isInstantOver(record: LogRecord): boolean {
    return record.type === 'end' || (this.isPassOver && this.time !== this.previousTime)
  }

  /** True if the policy claims to place every job for which enough nodes are free. */
  get doAnyNodesServe(): boolean {
    return this.header.policy.claims.any_free_nodes === true
  }

  /** True if the allocation of a job can change its run time: the header says so, and a job communicates. */
  get areRunTimesVaried(): boolean {
    return this.rules.runTimes !== 'fixed' && this.#hasCommunication
  }

  /** @param asked names of rules to test in addition to the rule of the policy */
  constructor(header: Header, topology: Topology, asked: ReadonlySet<string> = new Set()) {
    super(topology, header.policy.claims.links)
    this.asked = asked
    this.partFrom = milliseconds(header.part?.from ?? 0)
    this.header = header
    this.#resourceReader = new ResourceReader(this.firstResource)
    this.rules = schedulerRules(header.options)
    const order = queueOrderOf(header)
    this.whyOrderUnknown = typeof order === 'string' ? order : undefined
    this.#order = typeof order === 'string' ? undefined : order
    this.#ranked = this.#order?.isFixed === false ? new RankedQueue(this.#order, this) : undefined
    this.queue = this.#ranked ?? new WaitingQueue(this.#order === undefined ? (a, b) => a.order < b.order : comesBefore)
    this.#bandwidthBeyond = new Uint32Array(this.exclusiveResources < this.owners.length ? this.owners.length : 0)
  }

  read(record: LogRecord): void {
    this.effort.record()
    this.job = 'job' in record ? this.jobs.get(record.job) : undefined
    this.named = 'nodes' in record ? this.#resourceReader.read(record) : undefined
    this.isPassOver = false
    this.isWholePassOver = false
    this.isPassCut = false
    if (record.type === 'header' || record.type === 'seal') return
    this.#readTime(milliseconds(record.t))
    if (this.#hasDecided && endsRound(record)) this.#endPass()
    else if (this.#haveMoved && !this.isPassOver) this.#endPass(true)
    this.#haveMoved = false
    this.passTime = this.isPassOver ? this.previousTime : this.time
    if (record.type === 'gap') this.isWholePassOver = !(this.#hasGap = true)
    if (record.type === 'allocate' || record.type === 'reserve') this.#hasDecided = true
  }

  #readTime(time: number): void {
    this.previousTime = this.time
    if (time === this.time && this.instant > 0) return
    this.time = time
    if (this.instant++ > 0) this.#endPass()
    this.passTrigger = 0
  }

  #endPass(isCut: boolean = false): void {
    this.pass++
    this.isPassOver = true
    this.isPassCut = isCut
    this.isWholePassOver = !this.#hasGap && !isCut
    this.#hasGap = false
    this.#hasDecided = false
  }

  /** Turns from the scheduling pass that is over, if one is, to the pass of the record that was read last. */
  turn(): void {
    if (!this.isPassOver) return
    this.passTime = this.time
    this.#held.admit(this.time, this.queue)
    this.#ranked?.begin()
    this.#started.length = 0
  }

  apply(record: LogRecord): void {
    if (this.isPassOver) this.killedFor = undefined
    switch (record.type) {
      case 'submit':
        return this.#submit(record)
      case 'cancel':
        return this.#cancel(record)
      case 'finish':
        return this.#finish(record)
      case 'down':
      case 'up':
        this.passTrigger = record.seq
        if (record.type === 'up') return this.repair(this.named?.resources ?? [])
        this.#placedBesideFailures.clear()
        return this.fail(this.named?.resources ?? [], record.seq)
      case 'reserve':
        return this.#reserve(record)
      case 'unreserve':
        return this.#unreserve(record)
      case 'allocate':
        return this.#allocate(record)
      case 'release':
        return this.#release(record)
      case 'kill':
        return this.#kill(record)
      case 'requeue':
        return this.#requeue()
      case 'withdraw':
        return this.#withdraw(record)
      case 'reject':
        if (this.job?.state === 'waiting') this.#leaveQueue(this.job, 'over')
    }
  }

  /**
   * Returns true if the nodes and links that are down may keep the policy from placing a waiting job. If a monotone
   * policy has placed an equal request since the last failure, the policy can place the job on the free nodes and links.
   * If any free nodes serve, only the number of nodes that are up counts.
   */
  mayBeHindered(job: Job): boolean {
    if (this.doAnyNodesServe) return job.size > this.topology.nodes - this.downNodes
    return this.hindering > 0 && !this.#placedBesideFailures.has(requestOf(job))
  }

  /**
   * Returns `mayBeHindered`, for a job that waits or is passed. Counts the excuse unless fewer nodes are up than the job
   * requests: no log shows whether the policy could place the job.
   */
  isExcused(job: Job): boolean {
    if (!this.mayBeHindered(job)) return false
    if (job.size <= this.topology.nodes - this.downNodes) this.excused++
    return true
  }

  /** Returns true if a job is not the head of the queue; false if the auditor does not know the queue order. */
  isBehindHead(job: Job): boolean {
    return this.whyOrderUnknown === undefined && this.queue.head !== job
  }

  /** Returns true if the queue may have at least `count` jobs before a job. */
  mayBeBehind(job: Job, count: number): boolean {
    return this.whyOrderUnknown !== undefined || this.queue.before(job) >= count
  }

  /** Returns true if rounded scores may put two jobs that the present scheduling pass tries the other way round. */
  isOrderInDoubt(): boolean {
    const order = this.#order
    if (order?.isInDoubt === undefined) return false
    const { window = 0 } = this.rules.queue
    const tried = [...this.#started, ...this.queue.first(window + 2)].sort((a, b) => (comesBefore(a, b) ? -1 : 1))
    return tried.some((job, at) => at > 0 && order.isInDoubt!(tried[at - 1], job))
  }

  /** Remembers that the policy placed a request beside the present failures. */
  #placed(job: Job): void {
    if (this.hindering > 0 && this.header.policy.claims.monotone) this.#placedBesideFailures.add(requestOf(job))
  }

  /** True if a controller that continues the log cannot know which running jobs to kill for a reservation. */
  get forgetsWhomToKill(): boolean {
    return this.rules.queue.kill === true && this.header.origin === 'driven'
  }

  /** Returns the estimated end of a running job, in ms; undefined if the job has no estimate or no allocation. */
  estimatedEnd(job: Job): number | undefined {
    return job.allocation?.estimate === undefined ? undefined : job.allocation.start + job.allocation.estimate
  }

  /** Returns true if a job has reached its estimated end; false in the instant of its start, even with estimate 0. */
  isPastEstimate(job: Job): boolean {
    const end = this.estimatedEnd(job)
    return end !== undefined && end <= this.time && job.allocation!.start < this.time
  }

  /**
   * Returns true if a job holds its allocation at a time (ms), by estimates: a job past its estimate ends now, and a job
   * without an estimate never ends.
   */
  isExpectedAt(job: Job, time: number): boolean {
    return this.isPastEstimate(job) ? time <= this.time : (this.estimatedEnd(job) ?? Infinity) > time
  }

  /**
   * Returns, for each link shared up to a cap, the MB/s of the jobs that are expected to run beyond a time (ms), by the
   * number of the resource. The next call of `bandwidthBeyond` overwrites the returned array.
   */
  bandwidthBeyond(time: number): Uint32Array {
    const used = this.#bandwidthBeyond.fill(0)
    for (const job of this.holders.values()) {
      const { resources, bandwidth } = job.allocation!
      if (!this.isExpectedAt(job, time)) continue
      for (let i = 0; i < resources.length; i++)
        if (resources[i] >= this.exclusiveResources) used[resources[i]] += bandwidth
    }
    return used
  }

  /** Returns the owner of a resource that is no link shared up to a cap; undefined if there is no owner. */
  holderOf(resource: number): Job | undefined {
    return this.holders.get(this.owners[resource])
  }

  /** Returns the job and the allocate record that own a resource, for messages. */
  ownerOf(resource: number): string {
    const holder = this.holderOf(resource)
    return `${holder === undefined ? '' : `job ${holder.id}, `}allocate ${this.owners[resource]}`
  }

  #submit(record: Submit): void {
    this.passTrigger = record.seq
    if (this.job !== undefined) return
    const job: Job = {
      id: record.job,
      order: this.jobs.size,
      submitted: this.time,
      size: record.size,
      estimate: record.estimate === undefined ? undefined : milliseconds(record.estimate),
      bandwidth: record.bandwidth,
      communication: record.communication,
      user: record.user,
      turn: record.turn,
      eligible: record.eligible === undefined ? this.time : milliseconds(record.eligible),
      score: 0,
      state: 'waiting',
      allocation: undefined,
      reservation: undefined,
      endedBy: 0,
      killedBy: 0,
      cancelledBy: 0,
      releasedBy: 0,
    }
    if (record.communication !== undefined) this.#hasCommunication = true
    if (this.#order !== undefined) job.score = this.#order.score(job, this.time)
    this.jobs.add(job.id, job)
    if (this.#order?.isRecorded === true && job.eligible > this.time) this.#held.add(job)
    else this.queue.add(job)
  }

  #cancel(record: Cancel): void {
    this.passTrigger = record.seq
    const job = this.job
    if (job === undefined) return
    job.cancelledBy = record.seq
    if (job.state === 'waiting') this.#leaveQueue(job, 'over')
  }

  #leaveQueue(job: Job, state: JobState): void {
    job.state = state
    this.queue.remove(job)
  }

  #reserve(record: Reserve): void {
    const job = this.job
    const named = this.named
    if (job === undefined || named === undefined) return
    const start = milliseconds(record.start)
    job.reservation = {
      seq: record.seq,
      job,
      start,
      end: endByEstimate(job.estimate, start),
      resources: named.resources,
      bandwidth: record.bandwidth ?? 0,
    }
    this.reservations.set(record.seq, job.reservation)
    this.#placed(job)
  }

  #unreserve(record: Unreserve): void {
    const reservation = this.reservations.get(record.for)
    if (reservation !== undefined) this.#endReservation(reservation)
  }

  #endReservation(reservation: Reservation): void {
    this.reservations.delete(reservation.seq)
    if (reservation.job.reservation === reservation) reservation.job.reservation = undefined
  }

  #allocate(record: Allocate): void {
    const job = this.job
    const named = this.named
    if (job === undefined || named === undefined) return
    // A job may start on a reservation from before the failures, without a new answer of the policy.
    if (job.reservation === undefined) this.#placed(job)
    else this.#endReservation(job.reservation)
    if (job.allocation !== undefined) this.#endAllocation(job.allocation)
    const isStart = record.moved === undefined
    if (!isStart && this.#moving > 0) this.#haveMoved = --this.#moving === 0
    const passing = this.#passed.of(job, record)
    if (isStart && this.#order?.isInDoubt !== undefined) this.#started.push(job)
    this.#leaveQueue(job, 'running')
    job.allocation = {
      seq: record.seq,
      start: this.time,
      resources: named.resources,
      nodes: named.nodes.length,
      bandwidth: record.bandwidth ?? 0,
      summands: this.summandsOf(named.resources, record.seq, record.bandwidth ?? 0),
      estimate: estimateOf(record, job),
      ...passing,
    }
    this.holders.set(record.seq, job)
    this.own(job.allocation)
  }

  #release(record: Release): void {
    const job = this.job
    if (job === undefined) return
    job.releasedBy = record.seq
    const { allocation } = job
    if (allocation === undefined) return
    if (record.for !== undefined) this.#moving++
    this.#order?.release?.(job, this.time)
    this.disown(allocation)
    this.#endAllocation(allocation)
    job.allocation = undefined
    job.state = record.for === undefined ? 'over' : 'moving'
  }

  #endAllocation(allocation: JobAllocation): void {
    this.holders.delete(allocation.seq)
    this.uncount(allocation.resources)
    this.#passed.forget(allocation)
  }

  #finish(record: Finish): void {
    this.passTrigger = record.seq
    this.#end(record.seq, 'finished')
  }

  #kill(record: Kill): void {
    if (record.code === 'estimate' || record.code === 'reservation') this.passTrigger = record.seq
    if (record.code === 'reservation') this.killedFor = this.reservations.get(record.cause)?.job
    this.#end(record.seq, 'killed')
    if (this.job !== undefined) this.job.killedBy = record.seq
  }

  #end(seq: number, state: JobState): void {
    const job = this.job
    if (job === undefined) return
    job.endedBy = seq
    if (job.state === 'running') job.state = state
  }

  #requeue(): void {
    const job = this.job
    if (job === undefined || job.killedBy === 0) return
    job.killedBy = 0
    job.state = 'waiting'
    this.queue.add(job)
  }

  /** A job with a withdrawn start counts as killed; a job with a withdrawn kill runs on. */
  #withdraw(record: Withdraw): void {
    const job = this.job
    if (job?.state === 'running' && job.allocation?.seq === record.of) {
      job.state = 'killed'
      job.endedBy = job.killedBy = record.seq
    } else if (job?.state === 'killed' && job.killedBy === record.of) {
      job.state = 'running'
      job.endedBy = job.killedBy = 0
    }
  }
}
