import { loggedQueue } from '@cloister/kernel'
import type { Allocate } from '@cloister/eventlog'
import type { Explanation, JobStart, Overtaking, WaitingEnd } from './explanation.ts'
import type { RecordedPass, StateRecord } from './recorded-passes.ts'
import { RecordedQueue } from './recorded-queue.ts'
import { RecordedStarts } from './recorded-starts.ts'
import { ReservationHistory } from './reservation-history.ts'
import { ResourceOverlap } from './resource-overlap.ts'
import { type KnownReasons, WaitHistory } from './wait-history.ts'

export class JobHistory {
  readonly #job: string
  readonly #queue: RecordedQueue
  readonly #waits: WaitHistory
  readonly #starts = new RecordedStarts()
  readonly #reservations: ReservationHistory
  readonly #overtakenBy: Array<Overtaking> = []
  readonly #ends: Array<WaitingEnd> = []

  constructor(known: KnownReasons, job: string) {
    this.#job = job
    this.#queue = new RecordedQueue(known.inputs, job)
    this.#waits = new WaitHistory(known)
    const { options } = known.inputs.header
    const queue = loggedQueue(options)
    const givesWay = queue.backfill === 'conservative' && queue.reservation === 'movable'
    this.#reservations = new ReservationHistory(job, this.#queue, this.#starts, {
      mayGiveWay: givesWay || options.runTimes !== undefined,
      isPlannedAnew: queue.backfill === 'easy' && queue.replan === true,
    })
  }

  follow(pass: RecordedPass): void {
    this.#waits.replayUntil(pass.t, this.#queue)
    this.#starts.beginPass()
    for (const record of pass.records) {
      this.#changeQueue(record, pass)
      this.#reservations.note(record)
      this.#starts.note(record)
    }
    this.#queue.endPass()
    this.#waits.endPass(pass.t, pass.records.at(-1)!.seq, this.#queue)
    this.#reservations.endPass(pass.t)
  }

  explanation(): Explanation {
    this.#waits.replayUntil(Infinity, this.#queue)
    const { t, size, estimate = null } = this.#starts.submitOf(this.#job)
    const { passes, waits } = this.#waits
    return {
      job: this.#job,
      size,
      estimate,
      submitted: t,
      passes,
      waits,
      reservations: this.#reservations.changes,
      overtakenBy: this.#overtakenBy,
      ends: this.#ends,
      stillWaits: this.#queue.isWaiting,
    }
  }

  #changeQueue(record: StateRecord, pass: RecordedPass): void {
    const isOwn = 'job' in record && record.job === this.#job
    switch (record.type) {
      case 'submit':
      case 'requeue':
        return this.#queue.add(record.job)
      case 'cancel':
        if (isOwn && this.#queue.isWaiting) this.#endWait({ type: 'cancel', seq: record.seq, t: record.t })
        return this.#queue.remove(record.job)
      case 'reject':
        if (isOwn)
          this.#endWait({
            type: 'reject',
            seq: record.seq,
            t: record.t,
            code: record.code,
            constraint: record.constraint,
          })
        return this.#queue.remove(record.job)
      case 'allocate':
        if (isOwn) this.#endWait(this.#startOf(record, pass))
        else if (this.#queue.isWaiting && !this.#queue.isAhead(record.job)) this.#overtake(record)
        return this.#queue.start(record.job)
    }
  }

  #endWait(end: WaitingEnd): void {
    this.#ends.push(end)
    this.#waits.end(end.t)
  }

  #overtake(record: Allocate): void {
    const { seq, t, job, backfill } = record
    this.#overtakenBy.push({
      seq,
      t,
      job,
      size: this.#starts.submitOf(job).size,
      backfilled: backfill !== undefined && backfill === this.#reservations.standing?.seq,
    })
  }

  #startOf(record: Allocate, { records }: RecordedPass): JobStart {
    const { seq, t, nodes, cause } = record
    const taken = new ResourceOverlap(record)
    const freed = this.#starts.released
      .map(({ allocate, end }) => ({ job: allocate.job, seq: end, ...taken.with(allocate) }))
      .filter((each) => each.nodes !== '' || each.links > 0)
    const causing = records.find((each) => each.seq === cause)
    const job = causing !== undefined && 'job' in causing ? causing.job : null
    return {
      type: 'allocate',
      seq,
      t,
      nodes,
      ahead: this.#queue.ahead,
      freed,
      cause: { seq: cause, type: causing?.type ?? 'reserve', job },
    }
  }
}
