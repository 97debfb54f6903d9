import type { LogRecord } from '@cloister/eventlog'
import { OutputTooLargeError } from '../errors/errors.ts'

/** Bytes per record of the log, in addition to `OF_A_RUN` bytes. The log may come from a stranger. */
const PER_RECORD = 2 ** 14
const OF_A_RUN = 2 ** 28
/**
 * Limit in bytes for the state of one moment. The size of forwarding tables depends on the machine only: the tables of
 * a tree with 5,488 nodes take half of this limit.
 */
export const OF_A_MOMENT: number = 2 ** 30

/** Ends the writing of a file that is larger than its log justifies. One line of a log may name millions of nodes. */
export class OutputLimit {
  #records: number
  readonly #path: string
  readonly #least: number
  readonly #given: number | undefined

  /**
   * @param path path of the file, for messages
   * @param given limit from the user, in bytes; undefined for the limit that the log justifies
   * @param least bytes that any log justifies
   * @param records number of records that were read before
   */
  constructor(path: string, given: number | undefined, least: number = OF_A_RUN, records = 0) {
    this.#records = records
    this.#path = path
    this.#given = given
    this.#least = least
  }

  /** Counts the records of a file while a reader takes the records. */
  *counted(records: Iterable<LogRecord>): Generator<LogRecord, void> {
    for (const record of records) {
      this.#records = record.seq + 1
      yield record
    }
  }

  /** Passes the pieces of a file on, up to the limit. @throws OutputTooLargeError */
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
