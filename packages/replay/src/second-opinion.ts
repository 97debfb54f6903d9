import { type Allocate, type Header, type LogRecord, partsOf, type RecordParts, type Reserve } from '@cloister/eventlog'
import {
  stateWithReservation,
  queueOrder,
  KnownRefusals,
  RequestKeys,
  type RunTimes,
  WaitingJobs,
} from '@cloister/kernel'
import type { ClusterState, Outcome, Placement, Placer, Refusal } from '@cloister/placement'
import { milliseconds, type RecordedInputs } from './recorded-inputs.ts'
import { RecordedMachine } from './recorded-machine.ts'

/** What another policy would have done with a job in a state of the log. */
export type Opinion =
  /** The log started it: there, here on the same parts. */
  | { readonly kind: 'same' }
  /** Here on other nodes or links. */
  | { readonly kind: 'elsewhere'; readonly placement: Placement }
  /** Here not at all. */
  | { readonly kind: 'refuses'; readonly refusal: Refusal }
  /** The log let it wait; here it starts. Told of each job once, where that happens first. */
  | { readonly kind: 'starts'; readonly placement: Placement }
  /** The log turned it away; here it may wait. */
  | { readonly kind: 'accepts' }

export type Dissent = Exclude<Opinion, { readonly kind: 'same' }> & {
  readonly job: string
  /** Seconds. */
  readonly t: number
  /** The recorded decision, or the last record of the scheduling pass that let the job wait. */
  readonly seq: number
}

export interface SecondOpinion {
  readonly counts: Readonly<Record<Opinion['kind'], number>>
}

/**
 * Asks another policy about every decision of a log, each in the log's own state: nothing that the other would have done is
 * ever carried out. At a recorded start it is asked where it would put the job; at the end of an instant about the head of
 * the queue, and under EASY about the jobs behind it that its window lets pass, beside the recorded reservation.
 *
 * @param tell gets what differs, in the order of the log
 * @param runTimes what the header's `run_times` names; without it a job is taken to last everywhere as long as by itself
 * @throws RangeError where only one of log and policy shares links
 */
export function secondOpinion<Index>(
  inputs: RecordedInputs,
  records: Iterable<LogRecord>,
  placer: Placer<Index>,
  tell: (dissent: Dissent) => void,
  runTimes?: RunTimes,
): SecondOpinion {
  const asking = new Asking(inputs, placer, tell, runTimes)
  for (const record of records) asking.next(record)
  asking.endOfInstant()
  return { counts: asking.counts }
}

/** What a scheduling pass comes after. */
const inputs: ReadonlySet<LogRecord['type']> = new Set(['submit', 'cancel', 'finish', 'kill', 'down', 'up'])

class Asking<Index> {
  readonly counts: Record<Opinion['kind'], number> = { same: 0, elsewhere: 0, refuses: 0, starts: 0, accepts: 0 }
  readonly #machine: RecordedMachine<Index>
  readonly #healthy: ClusterState<Index>
  readonly #placer: Placer<Index>
  readonly #queue: Header['queue']
  readonly #jobs: RecordedInputs['jobs']
  readonly #numbers: ReadonlyMap<string, number>
  readonly #waiting: WaitingJobs
  readonly #reservations = new Map<string, Reserve>()
  readonly #keys: RequestKeys<Index>
  readonly #refused = new KnownRefusals()
  readonly #refusedBeside = new KnownRefusals()
  readonly #told = new Set<string>()
  readonly #tell: (dissent: Dissent) => void
  /** Jobs that this pass has let pass the head: its window had them too. */
  #passed = 0
  #t = 0
  #seq = 0

  constructor(
    { header, jobs }: RecordedInputs,
    placer: Placer<Index>,
    tell: (dissent: Dissent) => void,
    runTimes: RunTimes | undefined,
  ) {
    this.#machine = new RecordedMachine(header, placer, runTimes)
    this.#healthy = this.#machine.state.fork()
    this.#placer = placer
    this.#queue = header.queue
    this.#jobs = jobs
    this.#numbers = new Map(jobs.map(({ id }, number) => [id, number]))
    this.#waiting = new WaitingJobs(queueOrder(jobs, header.queue.order, 'requested'))
    this.#keys = new RequestKeys(placer, jobs.length)
    this.#tell = tell
  }

  next(record: LogRecord): void {
    if (record.type === 'header') return
    if (record.t > this.#t) this.endOfInstant()
    this.#t = record.t
    if (record.type === 'allocate') this.#judge(record)
    if (inputs.has(record.type)) this.#passed = 0
    this.#machine.apply(record)
    this.#seq = record.seq
    switch (record.type) {
      case 'submit': {
        const number = this.#numbers.get(record.job)!
        this.#keys.add(number, this.#machine.request(record.job, 'start'))
        return this.#waiting.add(number)
      }
      case 'reject':
        if (this.#machine.ask(record.job, 'start', this.#healthy).ok)
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
        return this.#refusedBeside.forget()
      case 'reserve':
        this.#refusedBeside.forget()
        return void this.#reservations.set(record.job, record)
      case 'unreserve':
        this.#refusedBeside.forget()
        this.#reservations.delete(record.job)
    }
  }

  /** Whoever still waits was passed over. */
  endOfInstant(): void {
    const { head } = this.#waiting
    const passed = this.#passed
    this.#passed = 0
    if (head === undefined) return
    this.#ask(head, this.#machine.state, 'start', this.#refused)
    const reservation = this.#reservations.get(this.#jobs[head].id)
    if (this.#queue.backfill !== 'easy' || reservation === undefined) return
    const beside = this.#beside(reservation)
    let job = this.#waiting.after(head)
    for (let seen = passed; seen < this.#queue.window! && job !== undefined; seen++, job = this.#waiting.after(job)) {
      this.#askToPass(job, milliseconds(reservation.start), beside)
    }
    beside.drop()
  }

  /** What the queue discipline would let pass. */
  #beside(reservation: Reserve): ClusterState<Index> {
    const { start, bandwidth } = reservation
    return stateWithReservation(this.#machine.state, {
      start: milliseconds(start),
      placement: { ok: true, ...partsOf(reservation), ...(bandwidth === undefined ? {} : { bandwidth }) },
    })
  }

  /** It may have anything that is free until the reservation's time, else what is beside the reservation. */
  #askToPass(number: number, shadow: number, beside: ClusterState<Index>): void {
    const { id } = this.#jobs[number]
    const { state, estimatesVary } = this.#machine
    const mayEndInTime = estimatesVary || this.#machine.estimatedEnd(id) <= shadow
    if (mayEndInTime)
      this.#ask(
        number,
        state,
        'start',
        this.#refused,
        (placement) => this.#machine.estimatedEndOn(id, placement) <= shadow,
      )
    if (estimatesVary || !mayEndInTime) this.#ask(number, beside, 'backfill', this.#refusedBeside)
  }

  #ask(
    number: number,
    state: ClusterState<Index>,
    purpose: 'start' | 'backfill',
    refused: KnownRefusals,
    isAllowed?: (placement: Placement) => boolean,
  ): void {
    const { id, size } = this.#jobs[number]
    if (size > state.freeNodes || this.#told.has(id)) return
    const key = this.#keys.of(number)
    const remembers = this.#placer.claims.monotone
    if (remembers && refused.has(key)) return
    const outcome = this.#machine.ask(id, purpose, state)
    if (!outcome.ok) {
      if (outcome.code !== 'search-bound') refused.add(key)
      return
    }
    if (isAllowed?.(outcome) === false) return
    this.#told.add(id)
    this.#differ(id, this.#seq, { kind: 'starts', placement: outcome })
  }

  #judge(record: Allocate): void {
    const { job, seq } = record
    this.#machine.moveTo(record.t)
    const outcome = this.#askAboutStart(record)
    if (!outcome.ok) this.#differ(job, seq, { kind: 'refuses', refusal: outcome })
    else if (isSame(outcome, partsOf(record), record.bandwidth)) this.counts.same++
    else this.#differ(job, seq, { kind: 'elsewhere', placement: outcome })
  }

  /** A job that passed the head and does not end before the head's time had to fit beside the reservation. */
  #askAboutStart({ job, backfill }: Allocate): Outcome {
    const reservation =
      this.#queue.backfill === 'easy' ? [...this.#reservations.values()].find(({ seq }) => seq === backfill) : undefined
    const bare = this.#machine.ask(job, 'start')
    if (
      reservation === undefined ||
      !bare.ok ||
      this.#machine.estimatedEndOn(job, bare) <= milliseconds(reservation.start)
    )
      return bare
    const beside = this.#beside(reservation)
    const outcome = this.#machine.ask(job, 'backfill', beside)
    beside.drop()
    return outcome
  }

  #differ(job: string, seq: number, opinion: Exclude<Opinion, { readonly kind: 'same' }>): void {
    this.counts[opinion.kind]++
    this.#tell({ ...opinion, job, t: this.#t, seq })
  }

  #leave(job: string): void {
    this.#waiting.remove(this.#numbers.get(job)!)
    this.#reservations.delete(job)
  }
}

function isSame(placement: Placement, parts: RecordParts, bandwidth: number | undefined): boolean {
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
