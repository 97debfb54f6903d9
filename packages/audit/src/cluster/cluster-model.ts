import type {
  Allocate,
  Cancel,
  Down,
  Finish,
  Header,
  Kill,
  LogRecord,
  QueueRef,
  Release,
  Reserve,
  Submit,
  Unreserve,
  Withdraw,
} from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { Effort } from '../effort.ts'
import { JobRegister } from './job-register.ts'
import { type NamedResources, ResourceReader } from './named-resources.ts'
import { lowerBound } from '../lower-bound.ts'
import { WaitingQueue } from './waiting-queue.ts'

/** `finished` and `killed` jobs still hold their nodes and links; `over` ones have released them or never had any. */
export type JobState = 'waiting' | 'running' | 'finished' | 'killed' | 'over'

/** What a running job holds. */
export interface Holding {
  /** Of the allocate record. */
  readonly seq: number
  /** Milliseconds. */
  readonly start: number
  readonly resources: Int32Array
  readonly bandwidth: number
  /** Estimated run time where it runs, milliseconds. */
  readonly estimate: number | undefined
  /** Whether it started ahead of a job that was before its own in the queue. */
  readonly isAdvanced: boolean
}

/** A reservation in force. */
export interface Reservation {
  readonly seq: number
  readonly job: Job
  /** Milliseconds. */
  readonly start: number
  /** When its job would end by estimate, and at least 1 ms after its start. */
  readonly end: number
  readonly resources: Int32Array
  /** MB/s of the links that it names, where they are shared. */
  readonly bandwidth: number
}

/** A job that was submitted. */
export interface Job {
  readonly id: string
  /** Place in submit order, from 0. */
  readonly order: number
  readonly size: number
  /** Estimated run time, wherever it runs, milliseconds. */
  readonly estimate: number | undefined
  state: JobState
  /** From allocate to release. */
  holding: Holding | undefined
  /** From reserve to unreserve or allocate. */
  reservation: Reservation | undefined
  /** Seq of the finish or kill that ended its latest run; 0 before. */
  endedBy: number
  /** Seq of its latest kill not yet followed by a requeue; 0 for none. */
  killedBy: number
  /** Seq of its cancel; 0 for none. */
  cancelledBy: number
  /** Seq of its latest release; 0 for none. */
  releasedBy: number
}

/**
 * The auditor's own model of the cluster and its jobs, which follows the records alone. It believes them: the last allocate
 * wins a resource and a release frees the resources that are still its own; the invariants say where that was wrong.
 *
 * `read` a record, let the invariants look, then `apply` it. A **resource** is a node or a link: all nodes, then the links of
 * level 0, of level 1, … (`firstResource`).
 */
export class ClusterModel {
  readonly header: Header
  readonly topology: Topology
  /** First resource of the nodes (0), then of each level's links; the number of resources at the end. */
  readonly firstResource: ReadonlyArray<number>
  /** Seq of the allocate that owns each resource, 0 for free; MB/s in use for links shared up to a cap. */
  readonly owners: Uint32Array
  /** Seq of the down record that took each resource out; 0 for none. */
  readonly downBy: Uint32Array
  downResources = 0
  /** Whether anything was ever down. */
  everDown = false

  readonly jobs: JobRegister<Job> = new JobRegister()
  /** Jobs that hold nodes and links, by the seq of the allocate that they hold. */
  readonly holders: Map<number, Job> = new Map()
  /** By the seq of their reserve. */
  readonly reservations: Map<number, Reservation> = new Map()
  /** Whether the first of two different jobs comes before the second in the order of the queue. */
  readonly precedes: (a: Job, b: Job) => boolean
  readonly queue: WaitingQueue<Job>
  readonly effort: Effort = new Effort()
  /** Nodes and links that all jobs hold together, those that two jobs hold twice. */
  held = 0
  /** Of them those with one owner. */
  heldExclusively = 0
  /** Nodes that no job holds and that are up. */
  freeNodes: number

  /** Milliseconds: of the record that was read last, and of the one before it. Seals do not count. */
  time = 0
  previousTime = 0
  /** Counts the different times seen. */
  instant = 0
  /** Rules by name that the log is held to though its policy claims another, or none. */
  readonly asked: ReadonlySet<string>
  /**
   * Seq of what the scheduling pass of this instant is caused by: its last input or, where it comes later, a kill for an estimate
   * or a reservation; 0 for none yet.
   */
  passTrigger = 0
  /** Counts scheduling passes: one an instant, and one more for each further round of it. */
  pass = 0
  /** Whether the record that was read last is the first one after a pass. */
  isPassOver = false
  /** The job for whose reservation others were killed in this pass, from the kill on, and at the first record after the pass. */
  killedFor: Job | undefined
  #hasDecided = false
  /** The job that the record names, if it was ever submitted. */
  job: Job | undefined
  /** The nodes and links that the record names. */
  named: NamedResources | undefined

  /** Cells below this one have one owner: all of them, or only the nodes where links are shared up to a cap. */
  readonly exclusiveResources: number

  readonly #resourceReader: ResourceReader
  readonly #bandwidthBeyond: Uint32Array

  /**
   * Whether the log ends as a simulation does, with an empty machine. A real machine runs on when nobody watches any more,
   * and so does the run that a part was cut from.
   */
  get endsItself(): boolean {
    return this.header.origin === 'simulated' && this.header.part === undefined
  }

  /** @param asked rules that hold beside that of the policy */
  constructor(header: Header, topology: Topology, asked: ReadonlySet<string> = new Set()) {
    this.asked = asked
    this.header = header
    this.topology = topology
    const firstResource = [0, topology.nodes]
    for (const level of topology.levels) firstResource.push(firstResource[firstResource.length - 1] + level.links)
    this.firstResource = firstResource
    const resources = firstResource[firstResource.length - 1]
    this.freeNodes = topology.nodes
    this.owners = new Uint32Array(resources)
    this.downBy = new Uint32Array(resources)
    this.exclusiveResources = header.policy.claims.links === 'capped' ? topology.nodes : resources
    this.#resourceReader = new ResourceReader(firstResource)
    this.precedes = precedence(header.queue.order)
    this.queue = new WaitingQueue(this.precedes)
    this.#bandwidthBeyond = new Uint32Array(this.exclusiveResources < resources ? resources : 0)
  }

  read(record: LogRecord): void {
    this.effort.record()
    this.job = 'job' in record ? this.jobs.get(record.job) : undefined
    this.named = 'nodes' in record ? this.#resourceReader.read(record) : undefined
    this.isPassOver = false
    if (record.type === 'header' || record.type === 'seal') return
    this.#readTime(milliseconds(record.t))
    if (this.#hasDecided && endsRound(record)) this.#endPass()
    if (record.type === 'allocate' || record.type === 'reserve') this.#hasDecided = true
  }

  #readTime(time: number): void {
    this.previousTime = this.time
    if (time === this.time && this.instant > 0) return
    this.time = time
    if (this.instant++ > 0) this.#endPass()
    this.passTrigger = 0
  }

  #endPass(): void {
    this.pass++
    this.isPassOver = true
    this.#hasDecided = false
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
        return this.#down(record)
      case 'up':
        return this.#up(record)
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
        return this.#reject()
    }
  }

  /** When a running job is expected to end, in milliseconds; undefined where it has no estimate. */
  estimatedEnd(job: Job): number | undefined {
    return job.holding?.estimate === undefined ? undefined : job.holding.start + job.holding.estimate
  }

  /** Whether a job with an estimate is past it. A job of no length is not past it in the instant of its start. */
  isPastEstimate(job: Job): boolean {
    const end = this.estimatedEnd(job)
    return end !== undefined && end <= this.time && job.holding!.start < this.time
  }

  /** Whether a job must be expected to hold its nodes and links at a time: one past its estimate may end at any moment from now on. */
  isExpectedAt(job: Job, time: number): boolean {
    return this.isPastEstimate(job) ? time <= this.time : (this.estimatedEnd(job) ?? 0) > time
  }

  /** MB/s on each link that belong to jobs expected to run beyond a time, by resource; only for links shared up to a cap. The next call overwrites the array. */
  bandwidthBeyond(time: number): Uint32Array {
    const used = this.#bandwidthBeyond.fill(0)
    for (const job of this.holders.values()) {
      const { resources, bandwidth } = job.holding!
      if (!this.isExpectedAt(job, time)) continue
      for (let i = 0; i < resources.length; i++)
        if (resources[i] >= this.exclusiveResources) used[resources[i]] += bandwidth
    }
    return used
  }

  /** The job whose allocation a resource belongs to. Not for links shared up to a cap. */
  holderOf(resource: number): Job | undefined {
    return this.holders.get(this.owners[resource])
  }

  /** The owner of a resource, for messages. */
  ownerOf(resource: number): string {
    const holder = this.holderOf(resource)
    return `${holder === undefined ? '' : `job ${holder.id}, `}allocate ${this.owners[resource]}`
  }

  /** The name of a resource, for messages. */
  nameOf(resource: number): string {
    const { firstResource } = this
    if (resource < firstResource[1]) return `node ${resource}`
    let level = 0
    while (resource >= firstResource[level + 2]) level++
    const id = resource - firstResource[level + 1]
    return level === 0 ? `leaf uplink ${id}` : level === 1 ? `L2 uplink ${id}` : `uplink ${id} of level ${level}`
  }

  #submit(record: Submit): void {
    this.passTrigger = record.seq
    if (this.job !== undefined) return
    const job: Job = {
      id: record.job,
      order: this.jobs.size,
      size: record.size,
      estimate: record.estimate === undefined ? undefined : milliseconds(record.estimate),
      state: 'waiting',
      holding: undefined,
      reservation: undefined,
      endedBy: 0,
      killedBy: 0,
      cancelledBy: 0,
      releasedBy: 0,
    }
    this.jobs.add(job.id, job)
    this.queue.add(job)
  }

  #cancel(record: Cancel): void {
    this.passTrigger = record.seq
    const job = this.job
    if (job === undefined) return
    job.cancelledBy = record.seq
    if (job.state === 'waiting') this.#leaveQueue(job, 'over')
  }

  #reject(): void {
    if (this.job?.state === 'waiting') this.#leaveQueue(this.job, 'over')
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
    if (job.reservation !== undefined) this.#endReservation(job.reservation)
    if (job.holding !== undefined) this.#stopHolding(job.holding)
    const isAdvanced = record.backfill !== undefined || (this.queue.head !== job && this.killedFor !== job)
    this.#leaveQueue(job, 'running')
    job.holding = {
      seq: record.seq,
      start: this.time,
      resources: named.resources,
      bandwidth: record.bandwidth ?? 0,
      estimate: estimateOf(record, job),
      isAdvanced,
    }
    this.holders.set(record.seq, job)
    const { resources } = named
    this.held += resources.length
    this.heldExclusively += this.#exclusiveOf(resources)
    for (let i = 0; i < resources.length; i++) {
      if (this.isFreeNode(resources[i])) this.freeNodes--
      if (resources[i] < this.exclusiveResources) this.owners[resources[i]] = record.seq
      else this.owners[resources[i]] += job.holding.bandwidth
    }
  }

  #release(record: Release): void {
    const job = this.job
    if (job === undefined) return
    job.releasedBy = record.seq
    const { holding } = job
    if (holding === undefined) return
    const { resources, seq } = holding
    for (let i = 0; i < resources.length; i++) {
      if (resources[i] >= this.exclusiveResources) this.owners[resources[i]] -= holding.bandwidth
      else if (this.owners[resources[i]] === seq) {
        this.owners[resources[i]] = 0
        if (this.isFreeNode(resources[i])) this.freeNodes++
      }
    }
    this.#stopHolding(holding)
    job.holding = undefined
    job.state = 'over'
  }

  #stopHolding({ seq, resources }: Holding): void {
    this.holders.delete(seq)
    this.held -= resources.length
    this.heldExclusively -= this.#exclusiveOf(resources)
  }

  /** How many of ascending resources have one owner. */
  #exclusiveOf(resources: Int32Array): number {
    if (this.exclusiveResources === this.owners.length) return resources.length
    return lowerBound(resources.length, (at) => resources[at] < this.exclusiveResources)
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

  /** What was never carried out: a start, whose job gives back what it has and waits again, or a kill, whose job runs on. */
  #withdraw(record: Withdraw): void {
    const job = this.job
    if (job?.state === 'running' && job.holding?.seq === record.of) {
      job.state = 'killed'
      job.endedBy = job.killedBy = record.seq
    } else if (job?.state === 'killed' && job.killedBy === record.of) {
      job.state = 'running'
      job.endedBy = job.killedBy = 0
    }
  }

  #down(record: Down): void {
    this.passTrigger = record.seq
    for (const resource of this.named?.resources ?? []) {
      this.everDown = true
      if (this.downBy[resource] === 0) this.downResources++
      if (this.isFreeNode(resource)) this.freeNodes--
      this.downBy[resource] = record.seq
    }
  }

  #up(record: Down): void {
    this.passTrigger = record.seq
    for (const resource of this.named?.resources ?? []) {
      if (this.downBy[resource] === 0) continue
      this.downResources--
      this.downBy[resource] = 0
      if (this.isFreeNode(resource)) this.freeNodes++
    }
  }

  /** Returns true if a resource is a node that no job holds and that is up. */
  isFreeNode(resource: number): boolean {
    return resource < this.topology.nodes && this.owners[resource] === 0 && this.downBy[resource] === 0
  }
}

/** Whether a record after decisions begins a further round of its instant. */
function endsRound(record: LogRecord): boolean {
  return record.type === 'finish' || (record.type === 'kill' && record.code !== 'reservation')
}

/** The order of the queue; ties by submit. */
function precedence(order: QueueRef['order']): (a: Job, b: Job) => boolean {
  if (order === 'submit') return (a, b) => a.order < b.order
  const rank = (job: Job): number => (order === 'size' ? job.size : (job.estimate ?? Infinity))
  return (a, b) => rank(a) < rank(b) || (rank(a) === rank(b) && a.order < b.order)
}

/** When a job that starts at `start` ends by its estimate. A job of no length takes its nodes for a millisecond, in which no other job can have them. */
export function endByEstimate(estimate: number | undefined, start: number): number {
  return start + Math.max(estimate ?? Infinity, 1)
}

/** The estimated run time of a job on what an allocate record gives it, milliseconds. */
export function estimateOf({ estimate }: Allocate, job: Job): number | undefined {
  return estimate === undefined ? job.estimate : milliseconds(estimate)
}

export function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}
