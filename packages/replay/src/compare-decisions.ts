import {
  type Allocate,
  headerTopology,
  type LogRecord,
  milliseconds,
  type RecordedResources,
  type Reserve,
  resourcesOf,
} from '@cloister/eventlog'
import {
  KnownRefusals,
  leastMovingSize,
  type LoggedQueue,
  loggedQueue,
  queueOrder,
  RequestKeys,
  reservationOf,
  type RunTimes,
  stateWithReservation,
  WaitingJobs,
} from '@cloister/kernel'
import type { ClusterState, Outcome, Placement, Placer, Refusal } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { mostQuestions, type RecordedInputs } from './recorded-inputs.ts'

/** Decision of a second policy about a job, in a state of the log. */
export type OtherDecision =
  /** The log started the job, and the policy chooses the same nodes and links. */
  | { readonly kind: 'same' }
  /** The log started the job, and the policy chooses different nodes or links. */
  | { readonly kind: 'elsewhere'; readonly placement: Placement }
  /** The log started the job, and the policy refuses the job. */
  | { readonly kind: 'refuses'; readonly refusal: Refusal }
  /** The log let the job wait, and the policy starts the job. Counted once for each job, at the first time. */
  | { readonly kind: 'starts'; readonly placement: Placement }
  /** The log rejected the job, and the policy places the job on the empty machine. */
  | { readonly kind: 'accepts' }

/** Decision of the log that the second policy does not share. */
export type DecisionDifference = Exclude<OtherDecision, { readonly kind: 'same' }> & {
  readonly job: string
  /** Time of the log's decision, in seconds. */
  readonly t: number
  /**
   * Record of the log's decision; for kind `starts`, the last record of the instant at which the log let the job wait.
   */
  readonly seq: number
}

/** Number of a log's decisions by the kind of the second policy's decision. */
export interface DecisionComparison {
  readonly counts: Readonly<Record<OtherDecision['kind'], number>>
}

/**
 * Asks a second policy about every decision of a log, in the state of the log at the decision. The answers change no
 * later state. At a recorded start or rejection, the policy is asked about the job. At the end of an instant, the
 * policy is asked about the head of the queue, and under EASY about the jobs of the window beside the head's recorded
 * reservation.
 *
 * @param onDifference receives the differences in the order of the log
 * @param runTimes run times by placement, from the option `runTimes` of the log; default: the same run time everywhere
 * @param most greatest number of questions to the policy; default: the result of `mostQuestions` for the log
 * @throws TooManyQuestionsError if the comparison needs more than `most` questions
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 */
export function compareDecisions<Index>(
  inputs: RecordedInputs,
  records: Iterable<LogRecord>,
  placer: Placer<Index>,
  onDifference: (difference: DecisionDifference) => void,
  runTimes?: RunTimes,
  most: number = mostQuestions(headerTopology(inputs.header), inputs.records, inputs.jobs),
): DecisionComparison {
  const probe = new DecisionProbe(inputs, placer, onDifference, runTimes, most)
  for (const record of records) probe.next(record)
  probe.endOfInstant()
  return { counts: probe.counts }
}

const passTriggers: ReadonlySet<LogRecord['type']> = new Set(['submit', 'cancel', 'finish', 'kill', 'down', 'up'])

class DecisionProbe<Index> {
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
