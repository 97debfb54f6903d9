import type { Kill, Recorder } from '@cloister/eventlog'
import {
  type Allocation,
  ClusterState,
  type Outcome,
  type Placement,
  placementDefect,
  type Placer,
  PolicyError,
  type Refusal,
  type Request,
  StateError,
} from '@cloister/placement'
import type { Job } from '@cloister/workload'
import type { Discipline } from './discipline.ts'
import type { Durations } from './durations.ts'
import { Refusals } from './refusals.ts'
import { RequestKeys } from './request-keys.ts'
import type { RecordedReservation } from './reservation.ts'
import { estimateOf, queueOrder } from './queue-order.ts'
import type { Outage, Simulation } from './simulation.ts'
import { WaitingJobs } from './waiting.ts'

/** A running job past its estimate is expected to end this much later. */
export const OVERRUN_GRACE_MS = 1000

/** The machine and the waiting jobs: puts questions to the policy, starts and ends jobs, and records it all. */
export class Dispatcher<Index> {
  now = 0
  /** Seq of the instant's last input, or of the last kill where it has none. */
  cause = 0
  started = 0
  killed = 0
  /** Jobs that left the queue so; running ones count as killed. */
  cancelled = 0
  searchBounds = 0
  readonly jobs: ReadonlyArray<Job>
  readonly state: ClusterState<Index>
  readonly waiting: WaitingJobs
  readonly recorder: Recorder
  readonly placer: Placer<Index>
  /** Refusals in `state`. */
  readonly refused: Refusals = new Refusals()
  readonly #remembers: boolean
  /** The job whose refusals are told beside the log, or -1. */
  readonly #watched: number
  readonly #simulation: Simulation<Index>
  readonly #durations: Durations
  readonly #onStart: (job: number, estimate: number, runTime: number) => void
  readonly #healthy: ClusterState<Index>
  /** Keys that the empty, healthy machine has granted. */
  readonly #granted = new Refusals()
  readonly #keys: RequestKeys<Index>
  readonly #allocations: Array<Allocation | undefined>
  readonly #allocateSeqs: Float64Array
  /** By `startOrder`. */
  readonly #jobOfStart: Array<number> = []
  #discipline!: Discipline
  #passes = 0
  readonly #lastRefusals = new Map<number, { readonly pass: number; readonly reason: string }>()

  constructor(
    simulation: Simulation<Index>,
    durations: Durations,
    onStart: (job: number, estimate: number, runTime: number) => void,
  ) {
    const {
      placer,
      recorder,
      topology,
      workload: { jobs },
      queue,
      walltime,
      decisions,
    } = simulation
    this.#simulation = simulation
    this.#durations = durations
    this.#onStart = onStart
    this.jobs = jobs
    this.placer = placer
    this.recorder = recorder
    this.state = new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
    this.#healthy = this.state.fork()
    this.waiting = new WaitingJobs(queueOrder(jobs, queue.order, walltime))
    this.#remembers = placer.claims.monotone && !decisions
    this.#watched = simulation.watch?.job ?? -1
    this.#keys = new RequestKeys(placer, jobs.length)
    this.#allocations = new Array<Allocation | undefined>(jobs.length).fill(undefined)
    this.#allocateSeqs = new Float64Array(jobs.length)
  }

  /** Who is told what happens to the machine. */
  follow(discipline: Discipline): void {
    this.#discipline = discipline
  }

  /** Of the job by itself. */
  estimate(job: number): number {
    return estimateOf(this.jobs[job], this.#simulation.walltime)
  }
  /** Of the job on a placement that it could be given now. */
  estimateOn(job: number, placement: Placement): number {
    return this.#durations.estimateOn?.(job, this.state, this.#request(job, 'start'), placement) ?? this.estimate(job)
  }
  /** Whether that may be another on each placement. */
  get estimatesVary(): boolean {
    return this.#durations.estimateOn !== undefined
  }
  key(job: number): number {
    return this.#keys.of(job)
  }
  /** Whether a refusal of such a job holds until something is freed. Where reasons are told the policy is asked each time. */
  remembers(job: number): boolean {
    return this.#remembers && job !== this.#watched
  }
  /** Seq of the record that started a job. */
  allocateSeq(job: number): number {
    return this.#allocateSeqs[job]
  }
  isRunning(job: number): boolean {
    return this.#allocations[job] !== undefined
  }
  jobOf(allocation: Allocation): number {
    return this.#jobOfStart[allocation.startOrder]
  }

  /** Queues a job; false when it can never run, not even on the empty and healthy machine. */
  submit(job: number): boolean {
    const { id, size, name, bandwidth, communication } = this.jobs[job]
    const walltime = this.estimate(job)
    const isPlain = name === undefined && bandwidth === undefined && communication === undefined
    this.cause = this.recorder.submit(this.now, isPlain ? { id, size, walltime } : { ...this.jobs[job], walltime })
    const refusal = this.#neverFits(job)
    if (refusal === undefined) this.waiting.add(job)
    else this.recorder.reject(this.now, id, refusal.code, constraintOf(refusal), this.cause)
    return refusal === undefined
  }

  #neverFits(job: number): Refusal | undefined {
    const request = this.#request(job, 'start')
    const key = this.#keys.add(job, request)
    if (this.placer.claims.monotone && this.#granted.has(key)) return undefined
    const outcome = this.placer.place(this.#healthy, request, this.#healthy.index)
    if (!outcome.ok) return outcome
    this.#granted.add(key)
    return undefined
  }

  finish(job: number): void {
    this.cause = this.recorder.finish(this.now, this.jobs[job].id, this.#allocateSeqs[job], false)
    this.#release(job, this.cause)
  }

  /** `cause`: seq of what made it necessary. */
  kill(job: number, why: Kill['why'], cause: number): void {
    const seq = this.recorder.kill(this.now, this.jobs[job].id, why, cause)
    if (why === 'walltime' || why === 'reservation') this.cause = seq
    this.killed++
    this.#release(job, seq)
    if (why === 'walltime' || why === 'cancel' || this.#simulation.requeue !== true) return
    this.recorder.requeue(this.now, this.jobs[job].id, seq)
    this.waiting.add(job)
  }

  /** Takes back a job that waits or runs. */
  cancel(job: number): void {
    this.cause = this.recorder.cancel(this.now, this.jobs[job].id)
    if (this.isRunning(job)) return this.kill(job, 'cancel', this.cause)
    this.waiting.remove(job)
    this.cancelled++
    this.#discipline.cancelled()
  }

  #release(job: number, cause: number): void {
    const allocation = this.#allocations[job]!
    const seq = this.recorder.release(this.now, this.jobs[job].id, cause)
    this.#removeRoutes(job, seq)
    this.state.release(allocation)
    this.#allocations[job] = undefined
    this.refused.forget()
    this.#discipline.released(allocation)
  }

  /** Parts break or are mended; jobs on broken nodes are killed, in submit order. */
  change({ change, parts }: Outage): void {
    this.cause = change === 'down' ? this.recorder.down(this.now, parts) : this.recorder.up(this.now, parts)
    if (change === 'down') this.state.fail(parts)
    else {
      this.state.restore(parts)
      this.refused.forget()
    }
    this.#discipline.changed(change)
    if (change === 'up') return
    const broken = new Set(Array.from(parts.nodes))
    const hit = this.state.running
      .filter(({ nodes }) => Array.from(nodes).some((node) => broken.has(node)))
      .map((allocation) => this.jobOf(allocation))
    for (const job of hit.sort((a, b) => a - b)) this.kill(job, 'node-down', this.cause)
  }

  /** One scheduling pass. Jobs that should have ended by now have not: they run past their estimate. */
  pass(): void {
    this.#passes++
    this.#expectOverrunsSoon()
    this.#discipline.pass()
  }

  #expectOverrunsSoon(): void {
    const { running } = this.state
    while (running.length > 0 && running[0].estimatedEnd <= this.now) {
      const allocation = running[0]
      const changed = this.state.reestimate(allocation, this.now + OVERRUN_GRACE_MS)
      this.#allocations[this.jobOf(allocation)] = changed
      this.#discipline.overran(allocation, changed)
    }
  }

  /** Starts jobs from the head while they fit; returns the first that does not. `kept`: a placement that it was promised. */
  startFromHead(kept?: (head: number) => Placement | undefined): number | undefined {
    for (;;) {
      const { head } = this.waiting
      if (head === undefined) return undefined
      const placement = this.askNow(head) ?? kept?.(head)
      if (placement === undefined) return head
      this.start(head, placement, undefined)
    }
  }

  askNow(job: number): Placement | undefined {
    return this.ask(job, this.state, 'start', this.refused)
  }

  /**
   * Asks the policy, unless the answer is known. `refused`: the refusals of that state. `withheld`: the reservations that
   * it is without.
   */
  ask(
    job: number,
    state: ClusterState<Index>,
    purpose: Request['purpose'],
    refused: Refusals | undefined,
    withheld: ReadonlyArray<PromisedTo> = [],
  ): Placement | undefined {
    const tells = this.#simulation.decisions || job === this.#watched
    if (!tells && this.jobs[job].size > state.freeNodes) return undefined
    const key = this.#keys.of(job)
    if (refused !== undefined && this.remembers(job) && refused.has(key)) return undefined
    const outcome: Outcome = this.placer.place(state, this.#request(job, purpose), state.index)
    if (outcome.ok) return outcome
    if (outcome.code === 'search-bound') this.searchBounds++
    else refused?.add(key)
    if (tells && purpose !== 'reserve') this.#tellRefusal(job, outcome, withheld)
    return undefined
  }

  /** What the bare state refuses is not for reservations; else the first in the queue that leaves too little is in the way. */
  #refusalBeside(job: number, withheld: ReadonlyArray<PromisedTo>): Refusal {
    const bare = this.placer.place(this.state, this.#request(job, 'start'), this.state.index)
    if (!bare.ok) return bare
    const end = this.now + this.estimateOn(job, bare)
    if (withheld.length === 1) return this.#conflict(end, withheld[0])
    const inOrder = withheld.toSorted((a, b) => (this.waiting.isBefore(a.job, b.job) ? -1 : 1))
    const inTheWay = inOrder.find((_, at) => {
      const fork = this.state.fork()
      fork.withholdAll(inOrder.slice(0, at + 1).map(({ placement }) => placement))
      const outcome = this.placer.place(fork, this.#request(job, 'start'), fork.index)
      fork.drop()
      return !outcome.ok
    })
    return this.#conflict(end, inTheWay ?? inOrder.at(-1)!)
  }

  #conflict(end: number, { job: other, start }: PromisedTo): Refusal {
    const nearest = { start: start / 1000, end: end / 1000 }
    return { ok: false, code: 'no-placement', constraint: `reservation of job ${this.jobs[other].id}`, nearest }
  }

  /** The first reason of a pass, where it is another than the last one told. */
  #tellRefusal(job: number, answer: Refusal, withheld: ReadonlyArray<PromisedTo>): void {
    const last = this.#lastRefusals.get(job)
    if (last?.pass === this.#passes) return
    const refusal = withheld.length === 0 ? answer : this.#refusalBeside(job, withheld)
    const constraint = constraintOf(refusal)
    const reason = `${refusal.code} ${constraint}`
    this.#lastRefusals.set(job, { pass: this.#passes, reason })
    if (last?.reason === reason) return
    const { decisions, watch } = this.#simulation
    const { id, size } = this.jobs[job]
    const { code } = refusal
    const nearest =
      code === 'too-few-nodes'
        ? { have: refusal.free, need: size }
        : code === 'no-placement'
          ? refusal.nearest
          : undefined
    if (decisions) this.recorder.refuse(this.now, id, code, constraint, nearest, this.cause)
    if (job === this.#watched)
      watch!.refused({
        t: this.now / 1000,
        job: id,
        code,
        constraint,
        ...(nearest === undefined ? {} : { nearest }),
        cause: this.cause,
      })
  }

  /** `backfill`: seq of the reservation that it passes. Returns what the job now holds. */
  start(job: number, placement: Placement, backfill: number | undefined): Allocation {
    const { id, communication } = this.jobs[job]
    const communicates = communication !== undefined
    const { nodes, links, bandwidth } = placement
    const own = this.estimate(job)
    const { runTime, estimate = own } = this.#durations.ofStart(job, this.state, this.#request(job, 'start'), placement)
    const estimatedEnd = this.now + estimate
    const allocation: Allocation =
      bandwidth === undefined
        ? { job: id, nodes, links, communicates, estimatedEnd, startOrder: this.started }
        : { job: id, nodes, links, communicates, estimatedEnd, startOrder: this.started, bandwidth }
    this.#apply(id, placement, allocation)
    this.waiting.remove(job)
    this.#allocations[job] = allocation
    this.#jobOfStart.push(job)
    this.started++
    this.#allocateSeqs[job] = this.recorder.allocate(
      this.now,
      id,
      placement,
      backfill ?? -1,
      this.cause,
      estimate === own ? undefined : estimate,
    )
    this.#addRoutes(allocation, this.#allocateSeqs[job])
    this.#onStart(job, estimate, runTime)
    this.#discipline.started(allocation)
    return allocation
  }

  #addRoutes(allocation: Allocation, cause: number): void {
    const { routing, policyName } = this.#simulation
    if (routing === undefined) return
    const change = routing.tables.add(allocation.job, allocation)
    if ('unroutable' in change)
      throw new PolicyError(
        policyName,
        `gave job ${allocation.job} links that ${routing.name} cannot route: ${change.unroutable}`,
      )
    this.recorder.route(this.now, allocation.job, 'add', routing.name, change.entries, change.digest, cause)
  }

  #removeRoutes(job: number, cause: number): void {
    const { routing } = this.#simulation
    if (routing === undefined) return
    const { id } = this.jobs[job]
    const { entries, digest } = routing.tables.remove(id)
    this.recorder.route(this.now, id, 'remove', routing.name, entries, digest, cause)
  }

  /** A wrong answer of a policy ends the simulation with the policy's and the job's name, never a corrupt state. */
  #apply(id: string, placement: Placement, allocation: Allocation): void {
    const { policyName, topology } = this.#simulation
    const defect = placementDefect(topology, placement)
    if (defect !== undefined) throw new PolicyError(policyName, `gave job ${id} a placement that is none: ${defect}`)
    try {
      this.state.apply(allocation)
    } catch (error) {
      if (!(error instanceof StateError)) throw error
      throw new PolicyError(policyName, `gave job ${id} a placement that is not free: ${error.message}`)
    }
  }

  #request(job: number, purpose: Request['purpose']): Request {
    const { id, size, submit: submitted, bandwidth, communication } = this.jobs[job]
    const estimate = this.estimate(job)
    return { purpose, job: id, nodes: size, now: this.now, submitted, estimate, bandwidth, communication }
  }
}

/** A reservation, and whose it is. */
type PromisedTo = Pick<RecordedReservation, 'job' | 'start' | 'placement'>

function constraintOf(refusal: Refusal): string {
  switch (refusal.code) {
    case 'too-few-nodes':
      return 'free nodes'
    case 'search-bound':
      return `${refusal.steps} steps`
    default:
      return refusal.constraint
  }
}
