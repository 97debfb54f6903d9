import type { LogRecord } from '@cloister/eventlog'
import type { Files, NewFile } from '@cloister/run/node'
import { dirname, join } from 'node:path'
import { Problem } from '../errors/errors.ts'
import { checkOutputs, type OutputRule } from '../files/outputs.ts'
import type { Written } from '../results/files.ts'
import { count } from '../terminal/quantities.ts'

/** Output file of an export, in pieces. `name` is the path in the folder `--out`; empty for `--out` itself. */
export interface OutputFile {
  readonly name: string
  readonly pieces: Iterable<Piece>
}

/** Text, or bytes of a binary format. */
export type Piece = string | Uint8Array

/** Least number of characters of a write to a file, except the last write. */
const CHUNK = 1 << 18

/**
 * Writes the output files of a command under temporary names, and then moves all files to their paths. If a write
 * fails, no file appears.
 * @throws Problem for a wrong output path, before any file is written
 */
export function writeFiles(
  disk: Files['Service'],
  files: ReadonlyArray<OutputFile>,
  out: string,
  rule: OutputRule,
): ReadonlyArray<Written> {
  const paths = files.map(({ name }) => (name === '' ? out : join(out, name)))
  checkOutputs(disk, paths, rule)
  const newFolders = [...new Set(paths.map((path) => dirname(path)))].filter((folder) => !disk.exists(folder))
  const begun: Array<NewFile> = []
  let committed = 0
  try {
    for (const [at, { pieces }] of files.entries()) {
      disk.makeFolder(dirname(paths[at]))
      const file = disk.create(paths[at], rule.force ? 'overwrite' : 'refuse')
      begun.push(file)
      writePieces(file, pieces)
    }
    return begun.map((file, at) => {
      const bytes = file.commit()
      committed++
      return { file: paths[at], bytes }
    })
  } finally {
    for (const file of begun) file.discard()
    if (committed === 0) for (const folder of newFolders) disk.removeFolder(folder)
  }
}

function writePieces(file: NewFile, pieces: Iterable<Piece>): void {
  let text = ''
  const flush = (): void => {
    if (text !== '') file.write(text)
    text = ''
  }
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else {
      flush()
      file.write(piece)
    }
    if (text.length >= CHUNK) flush()
  }
  flush()
}

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

  /** Passes the pieces of the exported file on, up to the limit. @throws Problem */
  *within(pieces: Iterable<Piece>): Generator<Piece, void> {
    let written = 0
    for (const piece of pieces) {
      written += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
      const limit = this.#given ?? this.#least + PER_RECORD * this.#records
      if (written > limit)
        throw new Problem(
          `${this.#path}: the export of the log is larger than ${count(limit)} bytes, the limit ${this.#records === 0 ? 'before the first record' : `up to record ${this.#records - 1}`}; --max-bytes N sets another limit`,
        )
      yield piece
    }
  }
}
