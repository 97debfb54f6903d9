import type { LogRecord } from '@cloister/eventlog'
import { Column } from './column.ts'

const INSTANT = 1
/** An input, or its direct effect: finish, submit, a kill at a job's estimate. */
const INPUT = 2
/** A decision of a scheduling pass. */
const DECISION = 4
const REFUSAL = 8

/** What is held of them, without methods: it can be written and read again. */
export interface KeptChains {
  readonly before: Int32Array<ArrayBuffer>
  readonly kinds: Uint8Array<ArrayBuffer>
  readonly last: Int32Array<ArrayBuffer>
  readonly t: number
}

/** For every record the one before it of the same job, and where scheduling passes end: enough to find both without the log. */
export class RecordChains {
  readonly #before: Column<Int32Array<ArrayBuffer>>
  readonly #kinds: Column<Uint8Array<ArrayBuffer>>
  /** The last record of each job, by number. */
  readonly #last: Column<Int32Array<ArrayBuffer>>
  #t: number

  /** @param kept what `kept` gave; none: no records yet */
  constructor(kept?: KeptChains) {
    this.#before = new Column(Int32Array, kept?.before)
    this.#kinds = new Column(Uint8Array, kept?.kinds)
    this.#last = new Column(Int32Array, kept?.last)
    this.#t = kept?.t ?? 0
  }

  /** All of it, a part of which changes with the next record. */
  get kept(): KeptChains {
    return { before: this.#before.view(), kinds: this.#kinds.view(), last: this.#last.view(), t: this.#t }
  }

  get records(): number {
    return this.#kinds.length
  }

  /** @param job number of the record's job, or -1 */
  add(record: LogRecord, job: number): void {
    const t = 't' in record ? record.t : 0
    this.#kinds.push((t > this.#t ? INSTANT : 0) | kindOf(record))
    this.#t = t
    this.#before.push(job < this.#last.length && job >= 0 ? this.#last.at(job) : -1)
    if (job === this.#last.length) this.#last.push(record.seq)
    else if (job >= 0) this.#last.set(job, record.seq)
  }

  /** All records of a job, the last one first. */
  *ofJob(job: number): Generator<number, void> {
    for (let seq = this.#last.at(job); seq >= 0; seq = this.#before.at(seq)) yield seq
  }

  isRefusal(seq: number): boolean {
    return (this.#kinds.at(seq) & REFUSAL) !== 0
  }

  /** The last record of the next scheduling pass after one, or of the one before; the last or first record where there is none. */
  passEnd(seq: number, direction: 1 | -1): number {
    let at = seq + direction
    while (at > 0 && at < this.records - 1 && !this.#isPassEnd(at)) at += direction
    return Math.max(0, Math.min(this.records - 1, at))
  }

  #isPassEnd(seq: number): boolean {
    const next = this.#kinds.at(seq + 1)
    if ((next & INSTANT) !== 0) return true
    if ((next & INPUT) === 0) return false
    // In a further round of an instant inputs follow decisions.
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
