import type { Allocate, LogRecord } from '@cloister/eventlog'
import type { RefusalReason } from '@cloister/kernel'
import type { Explanation, JobStart, Overtaking, WaitingEnd } from './explanation.ts'
import { PartsComparison } from './parts-comparison.ts'
import { recordedInputs } from './recorded-inputs.ts'
import { type Happening, type RecordedPass, recordedPasses } from './recorded-passes.ts'
import { RecordedQueue } from './recorded-queue.ts'
import { ReservationHistory } from './reservation-history.ts'
import { RecordedStarts } from './recorded-starts.ts'
import { type KnownReasons, WaitHistory } from './wait-history.ts'

/**
 * Tells from a log why a job waited, and how its waiting ended.
 *
 * @param records gives all records of the log from the header on, each time anew: it is read up to twice
 * @param known what `rerun` found, watching the job; a log with `decisions` has the reasons itself
 * @returns undefined where the log has no such job
 * @throws FoldError where the records are out of order
 */
export function explain(
  records: () => Iterable<LogRecord>,
  job: string,
  known: KnownReasons = recordedReasons(records(), job),
): Explanation | undefined {
  if (!known.inputs.jobs.some(({ id }) => id === job)) return undefined
  const story = new Story(known, job)
  for (const pass of recordedPasses(records())) story.follow(pass)
  return story.explanation()
}

/** The job's refusals in the log itself. */
function recordedReasons(records: Iterable<LogRecord>, job: string): KnownReasons {
  const refusals: Array<RefusalReason> = []
  const inputs = recordedInputs(
    noting(records, (record) => {
      if (record.type === 'refuse' && record.job === job) refusals.push(record)
    }),
  )
  return { inputs, refusals, compared: inputs.header.refusals ? Infinity : 0 }
}

function* noting(records: Iterable<LogRecord>, note: (record: LogRecord) => void): Generator<LogRecord, void, void> {
  for (const record of records) {
    note(record)
    yield record
  }
}

/** What happens to one job, and around it, pass by pass. */
class Story {
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
    this.#reservations = new ReservationHistory(
      job,
      this.#queue,
      this.#starts,
      known.inputs.header.run_times !== undefined,
    )
  }

  follow(pass: RecordedPass): void {
    this.#waits.recallUntil(pass.t, this.#queue)
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
    this.#waits.recallUntil(Infinity, this.#queue)
    const { t, size, estimate } = this.#starts.submitOf(this.#job)
    const { passes, waits } = this.#waits
    return {
      job: this.#job,
      size,
      estimate: estimate ?? null,
      submitted: t,
      passes,
      waits,
      reservations: this.#reservations.changes,
      overtakenBy: this.#overtakenBy,
      ends: this.#ends,
      stillWaits: this.#queue.isWaiting,
    }
  }

  #changeQueue(record: Happening, pass: RecordedPass): void {
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
      besideIt: backfill !== undefined && backfill === this.#reservations.standing?.seq,
    })
  }

  #startOf(record: Allocate, { records }: RecordedPass): JobStart {
    const { seq, t, nodes, cause } = record
    const taken = new PartsComparison(record)
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
