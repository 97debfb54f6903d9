import { encodeRecord } from '../records/lines.ts'
import type { Submit } from '../records/types.ts'
import { AsciiBuffer } from './ascii.ts'
import { eventForms, type FieldForms, spellEvent } from './event-lines.ts'
import type { HashFunction } from './hash-function.ts'
import type { RecordedEvent } from './recorder.ts'

/** Number of bytes that are hashed at once: calls of the hash for single lines take longer than the hashing. */
const CHUNK = 2 ** 14

/**
 * Computes the `submits_sha256` of a header: the SHA-256 of the lines of all submit records in order, each with seq 0
 * and a newline. A log shows these lines for every job; the `sha256` of the workload also covers the run times, which a
 * log lacks for jobs that were killed.
 */
export class SubmitsChecksum {
  readonly #hash: ReturnType<HashFunction>
  readonly #lines = new AsciiBuffer()
  readonly #forms: FieldForms = eventForms(false).get('submit')!

  constructor(hash: HashFunction) {
    this.#hash = hash()
  }

  add(record: Submit): void {
    this.#lines.text(encodeRecord(record.seq === 0 ? record : { ...record, seq: 0 }))
    this.#lines.text('\n')
    this.#flushIfLong()
  }

  /** Adds the record of a job's submission. @throws LogWriteError for a value that no log can hold */
  addEvent(submit: RecordedEvent<'submit'>): void {
    spellEvent(this.#lines, 0, this.#forms, submit)
    this.#flushIfLong()
  }

  #flushIfLong(): void {
    if (this.#lines.length > CHUNK) this.#flush()
  }

  /** Returns 64 hexadecimal digits. Call `hex` once, after the last `add`. */
  hex(): string {
    this.#flush()
    return Array.from(this.#hash.digest(), (byte) => byte.toString(16).padStart(2, '0')).join('')
  }

  #flush(): void {
    this.#hash.update(this.#lines.view(0))
    this.#lines.clear()
  }
}
