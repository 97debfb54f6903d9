import type { LogRecord } from '@cloister/eventlog'
import { OutputTooLargeError } from '../errors/errors.ts'

/** Bytes that a file may have for each record of its log, and those of any log: what a stranger's log may ask for. */
const PER_RECORD = 2 ** 14
const OF_A_RUN = 2 ** 28
/** A machine's forwarding tables are of its size alone: those of a tree of 5,488 nodes take half of this. */
export const OF_A_MOMENT: number = 2 ** 30

/** Ends the writing of a file that is larger than its log can mean: a line of it may name millions of nodes. */
export class OutputLimit {
  #records: number
  readonly #path: string
  readonly #least: number
  readonly #given: number | undefined

  /**
   * @param path for messages
   * @param given bytes that were asked for; undefined for as many as the log may have
   * @param least bytes of any log
   * @param records how many of the log were read before
   */
  constructor(path: string, given: number | undefined, least: number = OF_A_RUN, records = 0) {
    this.#records = records
    this.#path = path
    this.#given = given
    this.#least = least
  }

  /** Records that a file is made of, as they are read. */
  *counted(records: Iterable<LogRecord>): Generator<LogRecord, void> {
    for (const record of records) {
      this.#records = record.seq + 1
      yield record
    }
  }

  /** The pieces of a file. @throws OutputTooLargeError */
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
