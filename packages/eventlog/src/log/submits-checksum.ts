import { encodeRecord } from '../records/lines.ts'
import type { Submit } from '../records/types.ts'
import { ascii } from './ascii.ts'
import type { HashFunction } from './owners.ts'

/**
 * Computes the `submits_sha256` of a header: the SHA-256 of the lines of all submit records in order, each with seq 0
 * and a newline. A log shows these lines for every job; the `sha256` of the workload also covers the run times, which a
 * log lacks for jobs that were killed.
 */
export class SubmitsChecksum {
  readonly #hash: ReturnType<HashFunction>

  constructor(hash: HashFunction) {
    this.#hash = hash()
  }

  add(record: Submit): void {
    this.#hash.update(ascii(`${encodeRecord({ ...record, seq: 0 })}\n`))
  }

  /** Returns 64 hexadecimal digits. Call `hex` once, after the last `add`. */
  hex(): string {
    return Array.from(this.#hash.digest(), (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}
