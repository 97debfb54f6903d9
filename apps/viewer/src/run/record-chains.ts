import { encodeRecord, type LogRecord, type LogState } from '@cloister/eventlog'
import { Column } from './column.ts'
import type { Counts, JobLife, RecordView } from './questions.ts'

/** Greatest number of records in an answer to the question `job`. */
const RECORDS_LIMIT = 400
const CAUSES_LIMIT = 20

const INSTANT = 1
/** Flag of inputs and their direct effects: submit, cancel, finish, down, up, and kills that no reservation caused. */
const INPUT = 2
/** Flag of records that are decisions of a scheduling pass. */
const DECISION = 4
const REFUSAL = 8

/** Content of `RecordChains` as plain data, to be stored and loaded. */
export interface StoredChains {
  readonly before: Int32Array<ArrayBuffer>
  readonly kinds: Uint8Array<ArrayBuffer>
  readonly last: Int32Array<ArrayBuffer>
  readonly t: number
}

/** Previous record of the same job for every record, and the ends of scheduling passes. Lookups do not read the log. */
export class RecordChains {
  readonly #before: Column<Int32Array<ArrayBuffer>>
  readonly #kinds: Column<Uint8Array<ArrayBuffer>>
  /** Number of the last record of each job, by the job's number. */
  readonly #last: Column<Int32Array<ArrayBuffer>>
  #t: number

  constructor(stored?: StoredChains) {
    this.#before = new Column(Int32Array, stored?.before)
    this.#kinds = new Column(Uint8Array, stored?.kinds)
    this.#last = new Column(Int32Array, stored?.last)
    this.#t = stored?.t ?? 0
  }

  /** Content as plain data, without copies: records that are added later may change the arrays. */
  get stored(): StoredChains {
    return { before: this.#before.view(), kinds: this.#kinds.view(), last: this.#last.view(), t: this.#t }
  }

  get records(): number {
    return this.#kinds.length
  }

  /** Adds the next record of the log. @param job number of the record's job; -1 for a record without a job */
  add(record: LogRecord, job: number): void {
    const t = 't' in record ? record.t : 0
    this.#kinds.push((t > this.#t ? INSTANT : 0) | kindOf(record))
    this.#t = t
    this.#before.push(job < this.#last.length && job >= 0 ? this.#last.at(job) : -1)
    if (job === this.#last.length) this.#last.push(record.seq)
    else if (job >= 0) this.#last.set(job, record.seq)
  }

  /** Yields the numbers of all records of a job, the last record first. */
  *ofJob(job: number): Generator<number, void> {
    for (let seq = this.#last.at(job); seq >= 0; seq = this.#before.at(seq)) yield seq
  }

  isRefusal(seq: number): boolean {
    return (this.#kinds.at(seq) & REFUSAL) !== 0
  }

  /** Returns the last `refuse` record of a job up to the record `until`; undefined if there is none. */
  lastRefusal(job: number, until: number): number | undefined {
    for (const seq of this.ofJob(job)) if (seq <= until && this.isRefusal(seq)) return seq
    return undefined
  }

  /** Returns the next or previous record that ends a scheduling pass; if none, the log's last or first record. */
  passEnd(seq: number, direction: 1 | -1): number {
    let at = seq + direction
    while (at > 0 && at < this.records - 1 && !this.#isPassEnd(at)) at += direction
    return Math.max(0, Math.min(this.records - 1, at))
  }

  /** Returns the number of scheduling passes that ended at a record from `from` to before `to`. */
  passesBetween(from: number, to: number): number {
    let passes = 0
    for (let seq = from; seq < to; seq++) if (this.#isPassEnd(seq)) passes++
    return passes
  }

  #isPassEnd(seq: number): boolean {
    const next = this.#kinds.at(seq + 1)
    if ((next & INSTANT) !== 0) return true
    if ((next & INPUT) === 0) return false
    // An input after a decision of the same instant begins a further scheduling pass of the instant.
    let at = seq
    while (at > 0 && (this.#kinds.at(at) & (INPUT | DECISION)) === 0) at--
    return (this.#kinds.at(at) & DECISION) !== 0
  }
}

function kindOf(record: LogRecord): number {
  switch (record.type) {
    case 'submit':
    case 'cancel':
    case 'finish':
    case 'down':
    case 'up':
      return INPUT
    case 'kill':
      return record.code === 'reservation' ? DECISION : INPUT
    case 'reserve':
    case 'unreserve':
    case 'allocate':
      return DECISION
    case 'refuse':
      return DECISION | REFUSAL
    default:
      return 0
  }
}

/** Returns the records of a job for the question `job`. @param last last record whose state is known */
export function lifeOf(
  chains: RecordChains,
  job: number,
  last: number,
  recordAt: (seq: number) => LogRecord,
): Omit<JobLife, 'job' | 'number'> {
  const all = [...chains.ofJob(job)].reverse()
  const seqs = all.filter((seq) => !chains.isRefusal(seq) && seq <= last)
  const included =
    seqs.length <= RECORDS_LIMIT ? seqs : [...seqs.slice(0, RECORDS_LIMIT / 2), ...seqs.slice(-RECORDS_LIMIT / 2)]
  const records = included.map(recordAt)
  return {
    records,
    passes: passesOfWaits(chains, records),
    omitted: seqs.length - included.length,
    refusals: all.filter((seq) => chains.isRefusal(seq)).length,
  }
}

/** Returns the number of scheduling passes that left a job waiting, from the job's records. */
function passesOfWaits(chains: RecordChains, records: ReadonlyArray<LogRecord>): number {
  let [passes, since] = [0, -1]
  for (const { type, seq } of records) {
    if (type === 'submit' || type === 'requeue') since = seq
    else if (since >= 0 && (type === 'allocate' || type === 'reject' || type === 'cancel')) {
      passes += chains.passesBetween(since, seq)
      since = -1
    }
  }
  return passes + (since < 0 ? 0 : chains.passesBetween(since, chains.records))
}

/**
 * Returns a record with its causes, and the state before and after the record. Applies the record to `state`.
 *
 * @param state state before the record, or the first state of the log; undefined if the state is unknown
 */
export function viewOf(
  record: LogRecord,
  recordAt: (seq: number) => LogRecord,
  state: LogState | undefined,
): RecordView {
  const described = { record, line: encodeRecord(record), causes: causesOf(record, recordAt) }
  if (state === undefined) return { ...described, before: null, after: null }
  const before = countsOf(state)
  if (record.seq > 0) state.apply(record)
  return { ...described, before, after: countsOf(state) }
}

function countsOf(state: LogState): Counts {
  return {
    free: state.freeNodes.size,
    running: state.running.size,
    waiting: state.waiting.size,
    reservations: state.reservations.size,
    down: state.downNodes.size,
  }
}

/** Returns the cause of a record, the cause of the cause, and so on, back to an input; at most 20 records. */
function causesOf(record: LogRecord, recordAt: (seq: number) => LogRecord): ReadonlyArray<LogRecord> {
  const causes: Array<LogRecord> = []
  // The cause of a record is always an earlier record, so the chain of causes ends.
  for (let last = record; causes.length < CAUSES_LIMIT; causes.push(last)) {
    const cause = 'cause' in last ? last.cause : undefined
    if (cause === undefined || cause >= last.seq) break
    last = recordAt(cause)
  }
  return causes
}
