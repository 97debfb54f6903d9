import { type Down, FoldError, milliseconds, type Reserve, type Unreserve } from '@cloister/eventlog'
import type { ChangeCause, ReservationChange } from './explanation.ts'
import { type RecordedQueue, type RecordedStarts, ResourceOverlap, type StateRecord } from './recorded-passes.ts'

interface Lost {
  readonly record: Unreserve
  readonly reserve: Reserve
}

export class ReservationHistory {
  readonly changes: ReadonlyArray<ReservationChange>
  standing: Reserve | undefined
  readonly #changes: Array<ReservationChange> = []
  readonly #job: string
  readonly #queue: RecordedQueue
  readonly #starts: RecordedStarts
  readonly #mayGiveWay: boolean
  readonly #isPlannedAnew: boolean
  readonly #moves: Array<{ readonly lost: Lost | undefined; readonly record: Reserve | Unreserve }> = []
  readonly #outages: Array<Down> = []

  /** @param how `mayGiveWay`: true if a reservation may be withdrawn for a job that starts afterwards */
  constructor(
    job: string,
    queue: RecordedQueue,
    starts: RecordedStarts,
    { mayGiveWay, isPlannedAnew }: { readonly mayGiveWay: boolean; readonly isPlannedAnew: boolean },
  ) {
    this.#job = job
    this.#queue = queue
    this.#starts = starts
    this.#mayGiveWay = mayGiveWay
    this.#isPlannedAnew = isPlannedAnew
    this.changes = this.#changes
  }

  note(record: StateRecord): void {
    if (record.type === 'down' || record.type === 'up') this.#outages.push(record)
    else if (!('job' in record) || record.job !== this.#job) return
    else if (record.type === 'unreserve') {
      if (this.standing === undefined) throw new FoldError(record, `job ${record.job} has no reservation`)
      this.#moves.push({ lost: { record, reserve: this.standing }, record })
      this.standing = undefined
    } else if (record.type === 'reserve') this.#make(record)
    else if (record.type === 'allocate') this.standing = undefined
  }

  endPass(t: number): void {
    for (const { lost, record } of this.#moves) this.#add(lost, record, milliseconds(t))
    this.#moves.length = 0
    this.#outages.length = 0
  }

  #make(record: Reserve): void {
    this.standing = record
    const withdrawn = this.#moves.at(-1)?.record.type === 'unreserve' ? this.#moves.pop() : undefined
    this.#moves.push({ lost: withdrawn?.lost, record })
  }

  #add(lost: Lost | undefined, record: Reserve | Unreserve, now: number): void {
    const { seq, t } = record
    const change = changeBetween(lost?.reserve, record)
    const isMade = record.type === 'reserve'
    const events =
      lost === undefined
        ? []
        : change === 'sooner'
          ? this.#causesOfSooner(now)
          : this.#causesOfMove(lost, record, change, now)
    const isAnew = events.length === 0 && this.#isPlannedAnew && lost !== undefined && isMade
    const because = isAnew ? [{ event: 'planned-anew', job: null, seq: null } as const] : events
    this.#changes.push({
      seq,
      t,
      change,
      start: isMade ? record.start : null,
      nodes: isMade ? record.nodes : null,
      because,
    })
  }

  #causesOfMove(
    lost: Lost,
    record: Reserve | Unreserve,
    change: ReservationChange['change'],
    now: number,
  ): ReadonlyArray<ChangeCause> {
    const unforeseen = this.#causesOfLater(lost, change, now)
    return unforeseen.length === 0 && change === 'elsewhere' ? this.#causesOfMakingWay(record) : unforeseen
  }

  /** Returns the jobs that were backfilled beside the new reservation at the time of the change. */
  #causesOfMakingWay(record: Reserve | Unreserve): ReadonlyArray<ChangeCause> {
    if (record.type === 'unreserve') return []
    return [...this.#starts.running.values()]
      .filter(({ allocate }) => allocate.backfill === record.seq && allocate.t === record.t)
      .map(({ allocate: { job, seq } }) => ({ event: 'made-way', job, seq }) as const)
  }

  #causesOfSooner(now: number): ReadonlyArray<ChangeCause> {
    const ended = this.#starts.released.filter(({ estimatedEnd }) => estimatedEnd > now)
    return [
      ...ended.map(({ allocate, end }) => ({ event: 'early-end', job: allocate.job, seq: end }) as const),
      ...this.#outages.filter(({ type }) => type === 'up').map(({ seq }) => ({ event: 'up', job: null, seq }) as const),
    ]
  }

  #causesOfLater(
    { record, reserve }: Lost,
    change: ReservationChange['change'],
    now: number,
  ): ReadonlyArray<ChangeCause> {
    const { head, isWaiting, place } = this.#queue
    if (!isWaiting) return [{ event: 'cancel', job: null, seq: null }]
    if (place === 'outside') return [{ event: 'left-window', job: null, seq: null }]
    const reserved = new ResourceOverlap(reserve)
    const touches = (record: Down | Reserve): boolean => {
      const { nodes, links } = reserved.with(record)
      return nodes !== '' || links > 0
    }
    const failures = this.#outages
      .filter((outage) => outage.type === 'down' && touches(outage))
      .map(({ seq, rails }) => ({ event: 'down', job: null, seq, ...(rails !== undefined && { rails }) }) as const)
    // A job that started after a reservation was withdrawn is a cause only if reservations may give way.
    const holders = [...this.#starts.running.values()].filter(
      ({ allocate, estimatedEnd }) =>
        (this.#mayGiveWay || allocate.seq < record.seq) &&
        (estimatedEnd <= now || estimatedEnd > milliseconds(reserve.start)) &&
        reserved.with(allocate).nodes !== '',
    )
    const held = holders.map(
      ({ allocate: { job, seq }, estimatedEnd }) =>
        ({ event: estimatedEnd <= now ? 'overrun' : 'in-the-way', job, seq }) as const,
    )
    const causes = [...failures, ...held]
    // A reservation that keeps its start but gets other nodes makes way for a job or for a second reservation.
    return causes.length === 0 && change !== 'elsewhere' && place === 'window' && head !== undefined
      ? [{ event: 'other-head', job: head, seq: null }]
      : causes
  }
}

function changeBetween(before: Reserve | undefined, record: Reserve | Unreserve): ReservationChange['change'] {
  if (record.type === 'unreserve') return 'withdrawn'
  if (before === undefined) return 'made'
  if (record.start === before.start) return 'elsewhere'
  return record.start < before.start ? 'sooner' : 'later'
}
