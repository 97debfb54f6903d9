import { type LogRecord, type RecordedEvent, type Recorder, recordOf } from '@cloister/eventlog'
import { isSameDecision, isSimulated, type SimulatedRecord } from './same-decision.ts'

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
