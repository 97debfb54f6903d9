import { type Json, type LogRecord, type RecordedEvent, type Recorder, recordOf } from '@cloister/eventlog'

/** Thrown to end a rerun from within, because the comparison is over. */
export class ComparisonEnd extends Error {}

/**
 * Compares a rerun with a log, decision by decision. Each record of the rerun gets the seq of the equal record in the
 * log. The causes of both records are then comparable, although the log has records without an equal in the rerun.
 */
export class ComparingRecorder implements Recorder {
  /** Number of the log's records that the rerun has repeated, or that no rerun writes (header, seals and others). */
  compared = 0
  t = 0
  /** First record of the log from `until` on that is compared; undefined if the rerun ended before this record. */
  reached: SimulatedRecord | undefined
  /** First record of the log that the rerun does not repeat; undefined if the rerun repeats all. */
  recorded: SimulatedRecord | undefined
  /** Record that the rerun has in place of `recorded`; undefined if the rerun has ended. */
  repeated: SimulatedRecord | undefined
  readonly #records: Iterator<LogRecord>
  readonly #notes: boolean
  readonly #until: number

  /** @param until seq of the record before which the rerun ends, even without a difference */
  constructor(records: Iterable<LogRecord>, notes: boolean, until: number = Infinity) {
    this.#records = records[Symbol.iterator]()
    this.#notes = notes
    this.#until = until
  }

  /** Compares an event with the next record of the log, and returns the seq of this record. */
  record(event: RecordedEvent): number {
    // A rerun compares no rates of jobs: a rate is no decision, and the finishes come from the log.
    return event.type === 'progress' ? 0 : this.#compare(recordOf(this.#decisive(event), 0) as SimulatedRecord)
  }

  /** Returns an event without the fields that come from the log: a rerun cannot differ in them. */
  #decisive(event: RecordedEvent): RecordedEvent {
    switch (event.type) {
      case 'submit':
        return { type: 'submit', t: event.t, job: event.job, size: event.size }
      case 'finish':
        return { type: 'finish', t: event.t, job: event.job, cause: event.cause }
      case 'allocate':
        return this.#notes ? event : { ...event, note: undefined }
      default:
        return event
    }
  }

  /** Call this method after the rerun: the next record of the log, if there is one, becomes `recorded`. */
  finishComparison(): void {
    this.recorded = this.#next()
  }

  #compare(repeated: SimulatedRecord): number {
    const recorded = this.#next()
    // A log that was cut off is compared up to its end.
    if (recorded === undefined) throw new ComparisonEnd()
    if (recorded.seq >= this.#until) {
      this.reached = recorded
      throw new ComparisonEnd()
    }
    if (!isSameDecision(recorded, repeated)) {
      this.recorded = recorded
      this.repeated = { ...repeated, seq: recorded.seq }
      throw new ComparisonEnd()
    }
    this.#pass(recorded)
    return recorded.seq
  }

  #next(): SimulatedRecord | undefined {
    for (let next = this.#records.next(); next.done !== true; next = this.#records.next()) {
      if (isSimulated(next.value)) return next.value
      this.#pass(next.value)
    }
    return undefined
  }

  #pass(record: LogRecord): void {
    this.compared++
    if (record.type !== 'header') this.t = record.t
  }
}

/** Record that a rerun compares: an input, a decision, a fault or the end. */
type SimulatedRecord = Exclude<LogRecord, { readonly type: (typeof notSimulated)[number] }>

const notSimulated = ['header', 'seal', 'unknown', 'progress', 'withdraw', 'gap'] as const
const skipped: ReadonlySet<string> = new Set(notSimulated)

function isSimulated(record: LogRecord): record is SimulatedRecord {
  return !skipped.has(record.type)
}

type Fields<Type extends SimulatedRecord['type']> = Exclude<
  keyof Extract<SimulatedRecord, { readonly type: Type }> & string,
  'seq' | 'type'
>
type Input = 'submit' | 'cancel' | 'finish' | 'down' | 'up'

/** Fields of inputs that a rerun compares, by record type: few, because the content of an input comes from the log. */
const ofInputs: { readonly [Type in Input]: ReadonlyArray<Fields<Type>> } = {
  submit: ['t', 'job'],
  cancel: ['t', 'job'],
  finish: ['t', 'job', 'cause'],
  down: ['t', 'nodes', 'links'],
  up: ['t', 'nodes', 'links'],
}

/** All fields of decisions, by record type. 1: a rerun compares the field. A simulation never writes `happened`. */
const ofDecisions: {
  readonly [Type in Exclude<SimulatedRecord['type'], Input>]: { readonly [Field in Fields<Type>]-?: 0 | 1 }
} = {
  reserve: { t: 1, job: 1, start: 1, nodes: 1, links: 1, bandwidth: 1, cause: 1, happened: 0 },
  unreserve: { t: 1, job: 1, for: 1, cause: 1, happened: 0 },
  allocate: {
    t: 1,
    job: 1,
    nodes: 1,
    links: 1,
    ranks: 1,
    bandwidth: 1,
    estimate: 1,
    gpus: 1,
    started_by: 1,
    backfill: 1,
    note: 1,
    moved: 1,
    cause: 1,
    happened: 0,
  },
  release: { t: 1, job: 1, for: 1, cause: 1, happened: 0 },
  route: { t: 1, cause: 1, job: 1, entries: 1, undo: 1, unroutable: 1, happened: 0 },
  kill: { t: 1, job: 1, code: 1, cause: 1, happened: 0 },
  requeue: { t: 1, job: 1, cause: 1, happened: 0 },
  reject: { t: 1, job: 1, code: 1, constraint: 1, cause: 1, happened: 0 },
  refuse: { t: 1, job: 1, code: 1, constraint: 1, nearest: 1, cause: 1, happened: 0 },
  // The message of an error depends on the JavaScript engine.
  fault: { t: 1, job: 1, purpose: 1, code: 1, cause: 1, message: 0, request: 0, limit: 0 },
  end: { t: 1, submitted: 1, started: 1, finished: 1, rejected: 1, killed: 1, cancelled: 1 },
}

/** Fields that a rerun compares, by record type. */
const decisive: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...ofInputs,
  ...Object.fromEntries(
    Object.entries(ofDecisions).map(([type, fields]) => [
      type,
      Object.entries(fields).flatMap(([field, isCompared]) => (isCompared === 1 ? [field] : [])),
    ]),
  ),
}

/** Returns true if two records are the same input or decision. The causes of `a` and `b` SHALL be seqs of one log. */
function isSameDecision(a: SimulatedRecord, b: SimulatedRecord): boolean {
  if (a.type !== b.type) return false
  for (const field of decisive[a.type]) {
    if (!isEqual(a[field as keyof SimulatedRecord], b[field as keyof SimulatedRecord])) return false
  }
  return true
}

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
