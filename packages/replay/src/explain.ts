import {
  type Allocate,
  headerTopology,
  type LogRecord,
  migrationOf,
  milliseconds,
  type Submit,
} from '@cloister/eventlog'
import { loggedQueue, type RefusalReason } from '@cloister/kernel'
import type { QueueOrder } from '@cloister/ordering'
import {
  accountingFields,
  type Explanation,
  type JobMove,
  type JobStart,
  type LostRoutes,
  type Overtaking,
  type RateChange,
  type Wait,
  type WaitingEnd,
} from './explanation.ts'
import { recordedInputs } from './recorded-inputs.ts'
import {
  type RecordedPass,
  recordedPasses,
  RecordedQueue,
  RecordedStarts,
  ResourceOverlap,
  type StateRecord,
} from './recorded-passes.ts'
import { ReservationHistory } from './reservation-history.ts'
import { FreeNodes, HeadTimes, type KnownReasons, WaitHistory } from './wait-history.ts'

/**
 * Explains from a log why a job waited, and how the wait ended.
 *
 * @param records returns all records of the log from the header; called up to twice
 * @param known refusals of the job from a rerun with `watch`; default: the refusals in the log
 * @param order order for a log whose queue order is not built in
 * @returns undefined if the log does not have the job
 * @throws FoldError if the records are out of order
 * @throws UnknownOrderError if the queue order of the log is neither built in nor given
 */
export function explain(
  records: () => Iterable<LogRecord>,
  job: string,
  known: KnownReasons = recordedReasons(records(), job),
  order?: QueueOrder<any>,
): Explanation | undefined {
  if (!known.inputs.jobs.some(({ id }) => id === job)) return undefined
  const history = new JobHistory(known, job, order)
  const rates = new RateChanges(job)
  const lostRoutes: Array<LostRoutes> = []
  const seen = noting(records(), (record) => {
    rates.see(record)
    if (record.type !== 'route' || record.job !== job || record.unroutable === undefined) return
    lostRoutes.push({ seq: record.seq, t: record.t, reason: record.unroutable })
  })
  for (const pass of recordedPasses(seen)) history.follow(pass)
  return {
    ...history.explanation(),
    ...(lostRoutes.length > 0 && { lostRoutes }),
    ...(rates.all !== undefined && { slowed: rates.all }),
  }
}

/** Returns the inputs of a log and its refusals of one job. A log without the option `refusals` has no refusals. */
function recordedReasons(records: Iterable<LogRecord>, job: string): KnownReasons {
  const refusals: Array<RefusalReason> = []
  const inputs = recordedInputs(
    noting(records, (record) => {
      if (record.type === 'refuse' && record.job === job) refusals.push(record)
    }),
  )
  return { inputs, refusals, compared: inputs.header.options.refusals === true ? Infinity : 0 }
}

function* noting(records: Iterable<LogRecord>, note: (record: LogRecord) => void): Generator<LogRecord, void, void> {
  for (const record of records) {
    note(record)
    yield record
  }
}

class JobHistory {
  readonly #job: string
  readonly #queue: RecordedQueue
  readonly #waits: WaitHistory
  readonly #starts = new RecordedStarts()
  readonly #reservations: ReservationHistory
  readonly #overtakenBy: Array<Overtaking> = []
  readonly #ends: Array<WaitingEnd> = []
  readonly #heads = new HeadTimes()
  /** True if the queue order claims `recorded`. */
  readonly #hasTurns: boolean
  readonly #moves: Array<JobMove> = []
  /** Job for whose start the explained job moves. */
  #movesFor = ''
  readonly #costOfMove: number
  /** Free nodes of a real machine, whose log has no reasons; undefined for every other log. */
  readonly #free: FreeNodes | undefined
  readonly #size: number

  constructor(known: KnownReasons, job: string, order: QueueOrder<any> | undefined) {
    this.#job = job
    this.#queue = new RecordedQueue(known.inputs, job, order)
    this.#waits = new WaitHistory(known)
    const { options } = known.inputs.header
    this.#costOfMove = (migrationOf(options.migrate)?.cost ?? 0) / 1000
    const queue = loggedQueue(options)
    this.#hasTurns = known.inputs.header.order?.claims.recorded === true
    this.#free = options.queue === 'external' ? new FreeNodes(headerTopology(known.inputs.header).nodes) : undefined
    this.#size = known.inputs.jobs.find(({ id }) => id === job)!.size
    const givesWay = queue.backfill === 'conservative' && queue.reservation === 'movable'
    this.#reservations = new ReservationHistory(job, this.#queue, this.#starts, {
      mayGiveWay: givesWay || options.runTimes !== undefined,
      isPlannedAnew: queue.backfill === 'easy' && queue.replan === true,
    })
  }

  follow(pass: RecordedPass): void {
    this.#waits.replayUntil(pass.t, this.#queue)
    this.#starts.beginPass()
    this.#queue.beginPass(pass.t)
    for (const record of pass.records) {
      this.#changeQueue(record, pass)
      this.#reservations.note(record)
      this.#starts.note(record)
      this.#free?.note(record)
    }
    this.#queue.endPass()
    this.#waits.endPass(pass.t, pass.records.at(-1)!.seq, this.#queue, this.#free?.reasonFor(this.#size))
    this.#reservations.endPass(pass.t)
    // The log of a real machine has no queue order.
    const isInQueue = this.#queue.place === 'window' || this.#queue.place === 'outside'
    const isBehind = this.#queue.isWaiting && isInQueue && this.#free === undefined
    this.#heads.endPass(milliseconds(pass.t), isBehind ? this.#queue.head : undefined)
  }

  explanation(): Explanation {
    this.#waits.replayUntil(Infinity, this.#queue)
    const submit = this.#starts.submitOf(this.#job)
    const { t, size, estimate = null } = submit
    const { passes, waits } = this.#waits
    return {
      job: this.#job,
      size,
      estimate,
      submitted: t,
      ...accountingOf(submit),
      passes,
      waits,
      ...(this.#hasTurns && { turn: turnOf(waits) }),
      heads: this.#heads.longestFirst(),
      reservations: this.#reservations.changes,
      overtakenBy: this.#overtakenBy,
      ends: this.#ends,
      stillWaits: this.#queue.isWaiting,
      ...(this.#moves.length > 0 && { moves: this.#moves }),
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
        if (record.moved !== undefined) {
          const { seq, t, nodes } = record
          if (isOwn) this.#moves.push({ seq, t, for: this.#movesFor, nodes, cost: this.#costOfMove })
          return this.#queue.start(record)
        }
        if (isOwn) this.#endWait(this.#startOf(record, pass))
        else if (this.#queue.isWaiting && !this.#queue.isAhead(record.job)) this.#overtake(record)
        return this.#queue.start(record)
      case 'release':
        if (isOwn && record.for !== undefined) this.#movesFor = record.for
        return this.#queue.end(record.job)
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
    const { seq, t, nodes, gpus, started_by: startedBy, cause } = record
    const taken = new ResourceOverlap(record)
    const freed = this.#starts.released
      .map(({ allocate, end, moves }) => ({
        job: allocate.job,
        seq: end,
        ...taken.with(allocate),
        ...(moves && { moves: true as const }),
      }))
      .filter((each) => each.nodes !== '' || each.links > 0)
    const causing = records.find((each) => each.seq === cause)
    const job = causing !== undefined && 'job' in causing ? causing.job : null
    return {
      type: 'allocate',
      seq,
      t,
      nodes,
      ...(gpus !== undefined && { gpus }),
      ...(startedBy !== undefined && { startedBy }),
      ahead: this.#queue.ahead,
      freed,
      cause: { seq: cause, type: causing?.type ?? 'reserve', job },
    }
  }
}

function turnOf(waits: ReadonlyArray<Wait>): NonNullable<Explanation['turn']> {
  let [forTurn, forNodes] = [0, 0]
  for (const { place, from, to } of waits)
    if (place === 'head') forNodes += to - from
    else forTurn += to - from
  return { forTurn, forNodes }
}

function accountingOf(submit: Submit): Pick<Explanation, 'accounting'> {
  const own = accountingFields.filter((field) => submit[field] !== undefined)
  if (own.length === 0) return {}
  const fields = submit.queue === undefined ? own : (['queue', ...own] as const)
  return { accounting: Object.fromEntries(fields.map((field) => [field, submit[field]])) }
}

class RateChanges {
  readonly #job: string
  readonly #changes: Array<RateChange> = []
  #mayChange = false
  /** Last start or release. The progress records with this cause follow at once. */
  #last: RateChange['because'] = null

  constructor(job: string) {
    this.#job = job
  }

  see(record: LogRecord): void {
    if (record.type === 'header') this.#mayChange = record.requires?.includes('progress') === true
    else if (record.type === 'allocate') this.#last = { seq: record.seq, change: 'start', job: record.job }
    else if (record.type === 'release') this.#last = { seq: record.seq, change: 'end', job: record.job }
    else if (record.type === 'progress' && record.job === this.#job) {
      const { seq, t, rate, cause } = record
      this.#changes.push({ seq, t, rate, because: cause === this.#last?.seq ? this.#last : null })
    }
  }

  /** Changes of the job's rate; undefined if the log has no rates. */
  get all(): ReadonlyArray<RateChange> | undefined {
    return this.#mayChange ? this.#changes : undefined
  }
}
