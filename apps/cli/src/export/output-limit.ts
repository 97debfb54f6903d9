import type { LogRecord } from '@cloister/eventlog'
import { OutputTooLargeError } from '../errors/errors.ts'

/** Bytes that each record of a log adds to the size limit of an exported file. The log may come from a stranger. */
const PER_RECORD = 2 ** 14
const OF_A_RUN = 2 ** 28
/**
 * Limit in bytes for a file of `cloister export --to opensm`. The size of forwarding tables depends only on the
 * machine: the tables of a tree with 5,488 nodes take half of the limit.
 */
export const OF_A_MOMENT: number = 2 ** 30

/** Size limit of an exported file, in proportion to the log's records: one record may name millions of nodes. */
export class OutputLimit {
  #records: number
  readonly #path: string
  readonly #least: number
  readonly #given: number | undefined

  /**
   * @param path path of the exported file, for messages
   * @param given value of `--max-bytes`, undefined for a limit of `least` bytes plus 16 KiB for each record of the log
   * @param least limit in bytes for a log without records
   * @param records number of records of the log that were read before
   */
  constructor(path: string, given: number | undefined, least: number = OF_A_RUN, records = 0) {
    this.#records = records
    this.#path = path
    this.#given = given
    this.#least = least
  }

  /** Passes the records of the log on, and counts the records for the limit. */
  *counted(records: Iterable<LogRecord>): Generator<LogRecord, void> {
    for (const record of records) {
      this.#records = record.seq + 1
      yield record
    }
  }

  /** Passes the pieces of the exported file on, up to the limit. @throws OutputTooLargeError */
  *within(pieces: Iterable<string>): Generator<string, void> {
    let written = 0
    for (const piece of pieces) {
      written += Buffer.byteLength(piece)
      const limit = this.#given ?? this.#least + PER_RECORD * this.#records
      if (written > limit) throw new OutputTooLargeError({ path: this.#path, limit, records: this.#records })
      yield piece
    }
  }
}
