import {
  type Allocate,
  type LogRecord,
  resourcesOf,
  type RecordedResources,
  type Reserve,
  milliseconds,
} from '@cloister/eventlog'
import {
  leastMovingSize,
  type LoggedQueue,
  loggedQueue,
  KnownRefusals,
  queueOrder,
  RequestKeys,
  type RunTimes,
  stateWithReservation,
  WaitingJobs,
} from '@cloister/kernel'
import type { ClusterState, Outcome, Placement, Placer } from '@cloister/placement'
import type { DecisionDifference, OtherDecision } from './other-decision.ts'
import { RecordedCluster, reservationOf } from './recorded-cluster.ts'
import type { RecordedInputs } from './recorded-inputs.ts'

const passTriggers: ReadonlySet<LogRecord['type']> = new Set(['submit', 'cancel', 'finish', 'kill', 'down', 'up'])

export class DecisionProbe<Index> {
  readonly counts: Record<OtherDecision['kind'], number> = { same: 0, elsewhere: 0, refuses: 0, starts: 0, accepts: 0 }
  readonly #cluster: RecordedCluster<Index>
  readonly #healthy: ClusterState<Index>
  readonly #placer: Placer<Index>
  readonly #queue: LoggedQueue
  readonly #leastMovingSize: number
  readonly #jobs: RecordedInputs['jobs']
  readonly #numbers: ReadonlyMap<string, number>
  readonly #waiting: WaitingJobs
  readonly #reservations = new Map<string, Reserve>()
  readonly #keys: RequestKeys
  readonly #keyOf: Int32Array
  readonly #refused = new KnownRefusals()
  readonly #refusedWithReservation = new KnownRefusals()
  readonly #startable = new Set<string>()
  readonly #onDifference: (difference: DecisionDifference) => void
  /** Number of jobs backfilled in the present scheduling pass. These jobs count as jobs of the pass's window. */
  #passed = 0
  #t = 0
  #seq = 0

  constructor(
    { header, jobs }: RecordedInputs,
    placer: Placer<Index>,
    onDifference: (difference: DecisionDifference) => void,
    runTimes: RunTimes | undefined,
    most: number,
  ) {
    this.#cluster = new RecordedCluster(header, placer, runTimes, most)
    this.#healthy = this.#cluster.state.fork()
    this.#placer = placer
    this.#queue = loggedQueue(header.options)
    this.#leastMovingSize = leastMovingSize(this.#queue)
    this.#jobs = jobs
    this.#numbers = new Map(jobs.map(({ id }, number) => [id, number]))
    this.#waiting = new WaitingJobs(queueOrder(jobs, this.#queue.order, 'requested'))
    this.#keys = new RequestKeys(placer)
    this.#keyOf = new Int32Array(jobs.length)
    this.#onDifference = onDifference
  }

  next(record: LogRecord): void {
    if (record.type === 'header') return
    if (record.t > this.#t) this.endOfInstant()
    this.#t = record.t
    if (record.type === 'allocate') this.#judge(record)
    if (passTriggers.has(record.type)) this.#passed = 0
    this.#cluster.apply(record)
    this.#seq = record.seq
    switch (record.type) {
      case 'submit': {
        const number = this.#numbers.get(record.job)!
        this.#keyOf[number] = this.#keys.of(this.#cluster.request(record.job, 'start'))
        return this.#waiting.add(number)
      }
      case 'reject':
        if (this.#cluster.ask(record.job, 'start', this.#healthy).ok)
          this.#differ(record.job, record.seq, { kind: 'accepts' })
        return this.#leave(record.job)
      case 'cancel':
        return this.#leave(record.job)
      case 'allocate':
        if (record.backfill !== undefined) this.#passed++
        return this.#leave(record.job)
      case 'requeue':
        return this.#waiting.add(this.#numbers.get(record.job)!)
      case 'release':
      case 'up':
        this.#refused.forget()
        return this.#refusedWithReservation.forget()
      case 'reserve':
        this.#refusedWithReservation.forget()
        return void this.#reservations.set(record.job, record)
      case 'unreserve':
        this.#refusedWithReservation.forget()
        this.#reservations.delete(record.job)
    }
  }

  endOfInstant(): void {
    const { head } = this.#waiting
    const passed = this.#passed
    this.#passed = 0
    if (head === undefined) return
    this.#ask(head, this.#cluster.state, 'start', this.#refused)
    const reservation = this.#reservations.get(this.#jobs[head].id)
    if (this.#queue.backfill !== 'easy' || reservation === undefined) return
    const fork = this.#stateWith(reservation)
    let job = this.#waiting.after(head)
    for (let seen = passed; seen < this.#queue.window && job !== undefined; seen++, job = this.#waiting.after(job)) {
      this.#askToPass(job, reservation, fork)
    }
    fork.drop()
  }

  #stateWith(reservation: Reserve): ClusterState<Index> {
    return stateWithReservation(this.#cluster.state, reservationOf(reservation))
  }

  /** A job of the window may use reserved nodes if it ends by the shadow time, or if the reservation can make way. */
  #askToPass(number: number, reservation: Reserve, withReservation: ClusterState<Index>): void {
    const { id } = this.#jobs[number]
    const { state, estimatesVary } = this.#cluster
    const mayEndInTime = estimatesVary || this.#cluster.estimatedEnd(id) <= milliseconds(reservation.start)
    if (mayEndInTime || this.#jobs[number].size >= this.#leastMovingSize)
      this.#ask(number, state, 'start', this.#refused, (placement) => this.#mayPass(number, placement, reservation))
    if (estimatesVary || !mayEndInTime) this.#ask(number, withReservation, 'backfill', this.#refusedWithReservation)
  }

  #mayPass(number: number, placement: Placement, reservation: Reserve): boolean {
    const { id, size } = this.#jobs[number]
    return (
      this.#cluster.estimatedEndOn(id, placement) <= milliseconds(reservation.start) ||
      (size >= this.#leastMovingSize && this.#cluster.makesWay(id, placement, reservation))
    )
  }

  #ask(
    number: number,
    state: ClusterState<Index>,
    purpose: 'start' | 'backfill',
    refused: KnownRefusals,
    isAllowed?: (placement: Placement) => boolean,
  ): void {
    const { id, size } = this.#jobs[number]
    if (size > state.freeNodes || this.#startable.has(id)) return
    const key = this.#keyOf[number]
    const remembers = this.#placer.claims.monotone
    if (remembers && refused.has(key)) return
    const outcome = this.#cluster.ask(id, purpose, state)
    if (!outcome.ok) {
      if (outcome.code !== 'search-bound') refused.add(key)
      return
    }
    if (isAllowed?.(outcome) === false) return
    this.#startable.add(id)
    this.#differ(id, this.#seq, { kind: 'starts', placement: outcome })
  }

  #judge(record: Allocate): void {
    const { job, seq } = record
    this.#cluster.moveTo(record.t)
    const outcome = this.#askAboutStart(record)
    if (!outcome.ok) this.#differ(job, seq, { kind: 'refuses', refusal: outcome })
    else if (isSame(outcome, resourcesOf(record), record.bandwidth)) this.counts.same++
    else this.#differ(job, seq, { kind: 'elsewhere', placement: outcome })
  }

  /** A backfilled job must not use reserved nodes unless it ends by the shadow time or the reservation can make way. */
  #askAboutStart({ job, backfill }: Allocate): Outcome {
    const reservation =
      this.#queue.backfill === 'easy' ? [...this.#reservations.values()].find(({ seq }) => seq === backfill) : undefined
    const whole = this.#cluster.ask(job, 'start')
    if (reservation === undefined || !whole.ok || this.#mayPass(this.#numbers.get(job)!, whole, reservation))
      return whole
    const fork = this.#stateWith(reservation)
    const outcome = this.#cluster.ask(job, 'backfill', fork)
    fork.drop()
    return outcome
  }

  #differ(job: string, seq: number, decision: Exclude<OtherDecision, { readonly kind: 'same' }>): void {
    this.counts[decision.kind]++
    this.#onDifference({ ...decision, job, t: this.#t, seq })
  }

  #leave(job: string): void {
    this.#waiting.remove(this.#numbers.get(job)!)
    this.#reservations.delete(job)
  }
}

function isSame(placement: Placement, parts: RecordedResources, bandwidth: number | undefined): boolean {
  const levels = Math.max(placement.links.length, parts.links.length)
  for (let level = 0; level < levels; level++)
    if (!areEqual(placement.links[level] ?? [], parts.links[level] ?? [])) return false
  return areEqual(placement.nodes, parts.nodes) && placement.bandwidth === bandwidth
}

function areEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
