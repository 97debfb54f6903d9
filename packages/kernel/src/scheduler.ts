import type { Recorder } from '@cloister/eventlog'
import {
  type Allocation, ClusterState, type Outcome, type Placement, placementDefect, type Placer, PolicyError, type Refusal, type Request,
  StateError,
} from '@cloister/placement'
import type { Job } from '@cloister/trace-io'
import { Refusals } from './refusals.ts'
import { canKeep, findReservation, type Reservation } from './reservation.ts'
import { estimateOf, type Simulation } from './simulation.ts'
import { WaitingList } from './waiting.ts'

/** A running job past its estimate is expected to end this much later. */
const OVERRUN_GRACE_MS = 1000

interface RecordedReservation extends Reservation {
  readonly job: number
  readonly seq: number
}

/** The waiting jobs, the machine, and the scheduling pass: who starts now, and what the head of the queue is promised. */
export class Scheduler<Index> {
  started = 0
  readonly #simulation: Simulation<Index>
  readonly #placer: Placer<Index>
  readonly #recorder: Recorder
  readonly #jobs: ReadonlyArray<Job>
  readonly #onStart: (job: number, now: number) => void
  readonly #state: ClusterState<Index>
  readonly #healthy: ClusterState<Index>
  readonly #waiting: WaitingList
  readonly #allocations: Array<Allocation | undefined>
  readonly #allocateSeqs: Float64Array
  readonly #jobOfStart: Int32Array
  readonly #keys: RequestKeys<Index>
  readonly #refused = { bare: new Refusals(), beside: new Refusals() }
  /** Keys that the empty machine has granted. */
  readonly #grantedEmpty = new Refusals()
  readonly #remembers: boolean
  readonly #lastRefusals = new Map<number, { readonly pass: number; readonly reason: string }>()
  #passes = 0
  #reservation: RecordedReservation | undefined
  /** Since the reservation was looked at, a job ended that was expected to outlive the shadow time: the head might start sooner. */
  #endedEarly = false
  /** Since then, a job overran its estimate and the reservation's start: the promise may not hold. */
  #overran = false
  /** The state without the reservation's parts: made when first needed, kept in step as long as the reservation stands. */
  #beside: ClusterState<Index> | undefined
  #now = 0
  #cause = 0

  constructor(simulation: Simulation<Index>, onStart: (job: number, now: number) => void) {
    this.#simulation = simulation
    this.#placer = simulation.placer
    this.#recorder = simulation.recorder
    this.#jobs = simulation.workload.jobs
    this.#onStart = onStart
    this.#state = new ClusterState(simulation.topology, { index: simulation.placer.index })
    this.#healthy = this.#state.fork()
    this.#waiting = new WaitingList(this.#jobs.length)
    this.#allocations = new Array<Allocation | undefined>(this.#jobs.length).fill(undefined)
    this.#allocateSeqs = new Float64Array(this.#jobs.length)
    this.#jobOfStart = new Int32Array(this.#jobs.length)
    this.#keys = new RequestKeys(simulation.placer, this.#jobs.length)
    this.#remembers = simulation.placer.claims.monotone && !simulation.decisions
  }

  /** Seq of the record that started a job. */
  allocateSeq(job: number): number { return this.#allocateSeqs[job]! }

  /** Queues a job, or says why it can never run, not even on the empty and healthy machine. */
  submit(job: number, now: number): { readonly code: string; readonly constraint: string } | undefined {
    this.#now = now
    const request = this.#request(job, 'start')
    const key = this.#keys.add(job, request)
    const { monotone } = this.#placer.claims
    if (!(monotone && this.#grantedEmpty.has(key))) {
      const outcome = this.#placer.place(this.#healthy, request, this.#healthy.index)
      if (!outcome.ok) return { code: outcome.code, constraint: constraintOf(outcome) }
      this.#grantedEmpty.add(key)
    }
    this.#waiting.append(job)
    return undefined
  }

  release(job: number, now: number): void {
    const allocation = this.#allocations[job]!
    this.#state.release(allocation)
    this.#beside?.release(allocation)
    this.#allocations[job] = undefined
    // Jobs expected to end before the shadow time were taken for gone when the reservation was made.
    if (allocation.estimatedEnd > now && allocation.estimatedEnd >= (this.#reservation?.start ?? Infinity)) this.#endedEarly = true
    this.#refused.bare.forget()
    this.#refused.beside.forget()
  }

  /** One scheduling pass. `cause`: seq of the instant's last input. */
  pass(now: number, cause: number): void {
    this.#now = now
    this.#cause = cause
    this.#passes++
    this.#expectOverrunsSoon()
    const head = this.#startFromHead()
    const { queue } = this.#simulation
    if (head === undefined || queue.backfill === 'none') return
    this.#promise(head)
    this.#backfill(head, queue.window)
  }

  /** Jobs that run past their estimate: every one that should have ended by now has not. */
  #expectOverrunsSoon(): void {
    for (let first = this.#state.running[0]; first !== undefined && first.estimatedEnd <= this.#now; first = this.#state.running[0]) {
      const end = this.#now + OVERRUN_GRACE_MS
      const changed = this.#state.reestimate(first, end)
      this.#beside?.replace(first, changed)
      this.#allocations[this.#jobOfStart[first.startOrder]!] = changed
      if (this.#reservation !== undefined && end > this.#reservation.start) this.#overran = true
    }
  }

  /** Starts jobs from the head while they fit; returns the first that does not. */
  #startFromHead(): number | undefined {
    for (;;) {
      const head = this.#waiting.head
      if (head === undefined) return undefined
      const placement = this.#ask(head, this.#state, 'start', this.#refused.bare) ?? this.#keptPromise(head)
      if (placement === undefined) return head
      this.#start(head, placement, undefined)
    }
  }

  /** The reserved allocation at its time, where the policy itself refuses but all of it is free. */
  #keptPromise(head: number): Placement | undefined {
    const reservation = this.#reservation
    if (reservation?.job !== head || reservation.start > this.#now) return undefined
    return this.#state.isFree(reservation.placement) ? reservation.placement : undefined
  }

  /** Makes the head's reservation, or looks at it again after something unforeseen. It moves later only when it cannot be kept. */
  #promise(head: number): void {
    const old = this.#reservation
    if (old === undefined) {
      this.#reserve(head, this.#findReservation(head, Infinity))
    } else {
      // Without an early end a monotone policy finds nothing sooner: the jobs started since only take.
      const mayBeSooner = this.#endedEarly || !this.#placer.claims.monotone
      const sooner = mayBeSooner ? this.#findReservation(head, old.start) : undefined
      const kept = old.start > this.#now && (!this.#overran || canKeep(this.#state, old))
      if (sooner !== undefined || !kept) {
        this.#recorder.unreserve(this.#now, this.#jobs[head]!.id, old.seq, this.#cause)
        this.#reserve(head, sooner ?? this.#findReservation(head, Infinity))
      }
    }
    this.#endedEarly = false
    this.#overran = false
  }

  #findReservation(head: number, before: number): Reservation | undefined {
    const ask = (state: ClusterState<Index>): Placement | undefined => this.#ask(head, state, 'reserve', undefined)
    return findReservation(this.#state, this.#jobs[head]!.size, this.#placer.claims.monotone, before, ask)
  }

  #reserve(head: number, found: Reservation | undefined): void {
    this.#setReservation(undefined)
    if (found === undefined) return
    const seq = this.#recorder.reserve(this.#now, this.#jobs[head]!.id, found.start, found.placement, this.#cause)
    this.#setReservation({ ...found, job: head, seq })
  }

  #setReservation(reservation: RecordedReservation | undefined): void {
    this.#reservation = reservation
    this.#refused.beside.forget()
    this.#beside?.drop()
    this.#beside = undefined
  }

  /** Each of the first jobs behind the head starts if that cannot delay the head's reservation. */
  #backfill(head: number, window: number): void {
    const shadow = this.#reservation?.start ?? Infinity
    let job = this.#waiting.after(head)
    for (let seen = 0; seen < window && job !== undefined; seen++) {
      const next = this.#waiting.after(job)
      const placement = this.#now + this.#estimate(job) <= shadow
        ? this.#ask(job, this.#state, 'start', this.#refused.bare) ?? this.#askBesideToo(job)
        : this.#askBeside(job)
      if (placement !== undefined) this.#start(job, placement, this.#reservation?.seq)
      job = next
    }
  }

  /** What the whole state refuses, a monotone policy refuses with less. */
  #askBesideToo(job: number): Placement | undefined {
    return this.#placer.claims.monotone || this.#reservation === undefined ? undefined : this.#askBeside(job)
  }

  #askBeside(job: number): Placement | undefined {
    const reservation = this.#reservation!
    const key = this.#keys.of(job)
    if (this.#remembers && (this.#refused.beside.has(key) || this.#refused.bare.has(key))) return undefined
    if (this.#beside === undefined) {
      this.#beside = this.#state.fork()
      this.#beside.withhold(reservation.placement, reservation.placement.bandwidth)
    }
    return this.#ask(job, this.#beside, 'backfill', this.#refused.beside)
  }

  /** Asks the policy, unless the answer is known. */
  #ask(job: number, state: ClusterState<Index>, purpose: Request['purpose'], refused: Refusals | undefined): Placement | undefined {
    const { size } = this.#jobs[job]!
    const { decisions } = this.#simulation
    if (!decisions && size > state.freeNodes) return undefined
    const key = this.#keys.of(job)
    if (this.#remembers && refused !== undefined && refused.has(key)) return undefined
    const outcome: Outcome = this.#placer.place(state, this.#request(job, purpose), state.index)
    if (outcome.ok) return outcome
    if (outcome.code !== 'search-bound') refused?.add(key)
    if (decisions && purpose !== 'reserve') this.#recordRefusal(job, outcome)
    return undefined
  }

  /** The first reason of a pass, where it is another than the last one recorded. */
  #recordRefusal(job: number, refusal: Refusal): void {
    const last = this.#lastRefusals.get(job)
    if (last?.pass === this.#passes) return
    const constraint = constraintOf(refusal)
    const reason = `${refusal.code} ${constraint}`
    this.#lastRefusals.set(job, { pass: this.#passes, reason })
    if (last?.reason === reason) return
    const { id, size } = this.#jobs[job]!
    const nearest = refusal.code === 'too-few-nodes' ? { have: refusal.free, need: size } : refusal.code === 'no-placement' ? refusal.nearest : undefined
    this.#recorder.refuse(this.#now, id, refusal.code, constraint, nearest, this.#cause)
  }

  #start(job: number, placement: Placement, backfill: number | undefined): void {
    const { id } = this.#jobs[job]!
    const allocation: Allocation = {
      job: id, nodes: placement.nodes, links: placement.links,
      estimatedEnd: this.#now + this.#estimate(job), startOrder: this.started,
      ...(placement.bandwidth === undefined ? {} : { bandwidth: placement.bandwidth }),
    }
    this.#assertPlacement(id, placement, allocation)
    if (this.#reservation?.job === job) this.#setReservation(undefined)
    this.#beside?.occupy(allocation)
    this.#allocations[job] = allocation
    this.#waiting.remove(job)
    this.#jobOfStart[this.started++] = job
    this.#allocateSeqs[job] = this.#recorder.allocate(this.#now, id, this.#granted(placement), backfill ?? -1, this.#cause)
    this.#onStart(job, this.#now)
  }

  #granted(placement: Placement): Placement {
    if (placement.note === undefined || this.#simulation.decisions) return placement
    const { note: _, ...grant } = placement
    return grant
  }

  /** A wrong answer of a policy ends the simulation with the policy's and the job's name, never a corrupt state. */
  #assertPlacement(id: string, placement: Placement, allocation: Allocation): void {
    const defect = placementDefect(this.#simulation.topology, placement)
    if (defect !== undefined) throw new PolicyError(this.#simulation.policyName, `gave job ${id} a placement that is none: ${defect}`)
    try {
      this.#state.apply(allocation)
    } catch (error) {
      if (!(error instanceof StateError)) throw error
      throw new PolicyError(this.#simulation.policyName, `gave job ${id} a placement that is not free: ${error.message}`)
    }
  }

  #estimate(job: number): number { return estimateOf(this.#jobs[job]!, this.#simulation.walltime) }

  #request(job: number, purpose: Request['purpose']): Request {
    const { id, size, bandwidth, communication } = this.#jobs[job]!
    return { purpose, job: id, nodes: size, now: this.#now, walltime: this.#estimate(job), bandwidth, communication }
  }
}

/** Small integers for the keys under which a policy's refusals are remembered. */
class RequestKeys<Index> {
  readonly #placer: Placer<Index>
  readonly #ofJob: Int32Array
  readonly #known = new Map<string | number, number>()

  constructor(placer: Placer<Index>, jobs: number) {
    this.#placer = placer
    this.#ofJob = new Int32Array(jobs)
  }

  of(job: number): number { return this.#ofJob[job]! }

  add(job: number, request: Request): number {
    const key = this.#intern(request)
    this.#ofJob[job] = key
    return key
  }

  #intern(request: Request): number {
    const key = this.#placer.requestKey === undefined ? request.nodes : this.#placer.requestKey(request)
    if (key === undefined) return -1
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#known.set(key, this.#known.size)
    return this.#known.size - 1
  }
}

function constraintOf(refusal: Refusal): string {
  switch (refusal.code) {
    case 'too-few-nodes': return 'free nodes'
    case 'search-bound': return `${refusal.steps} steps`
    default: return refusal.constraint
  }
}
