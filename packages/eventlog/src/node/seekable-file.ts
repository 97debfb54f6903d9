import { indexPath } from './index-file.ts'
import { RecordError } from '../limits.ts'
import { LogFollower } from './log-follower.ts'
import type { LogIndex } from '../log/log-index.ts'
import type { LogOutcome } from '../log/reader.ts'
import { IndexMisfitError, LogSeeker } from '../log/seek.ts'
import { sha256 } from './files.ts'

/** Open log file with an index, by which the state after any record is found. */
export class SeekableLog extends LogSeeker {
  /** Origin of the log's index, which is `found` in a file, `made` and written to a file, or only `in memory`. */
  readonly indexed: LogFollower['indexed']
  /** Remark for the user about an unusable index file; undefined if the index file is used or does not exist. */
  readonly remark: string | undefined
  readonly #follower: LogFollower

  constructor(follower: LogFollower, index: LogIndex) {
    super(index, follower.read, sha256, follower.indexed === 'found' ? indexPath(follower.path) : undefined)
    this.#follower = follower
    this.indexed = follower.indexed
    this.remark = follower.remark
  }

  /** Outcome of reading the log when the file was opened. */
  get outcome(): LogOutcome {
    return this.index.outcome
  }

  close(): void {
    this.#follower.close()
  }
}

/**
 * Opens a log file for seeking. The first opening reads the whole log with the checks of `readLog`, and writes an index
 * file beside the log, unless the log is small or the folder is read-only. An index file that is damaged, or that does
 * not belong to the bytes of the log, is made again.
 *
 * @param options.keepIndex true to write the index file; by default, the file is written for a log of 4 MiB or more,
 *   and if an existing index file is unusable
 * @param options.takeIndex false to ignore an existing index file
 * @throws LogFileError if the file cannot be read
 * @throws RecordError if the log is corrupt, holds no record, or was replaced during the reading
 * @throws FoldError if a record cannot follow the earlier records
 */
export function openSeekableLog(
  path: string,
  options: { readonly keepIndex?: boolean; readonly takeIndex?: boolean } = {},
): SeekableLog {
  const follower = new LogFollower(path, options)
  try {
    if (follower.indexed !== 'found') readToEnd(follower)
    return new SeekableLog(follower, follower.index()!)
  } catch (error) {
    follower.close()
    throw error
  }
}

function readToEnd(follower: LogFollower): void {
  while (follower.next() !== undefined) if (follower.broken !== undefined) throw follower.broken.error
  if (follower.wasReplaced)
    throw new RecordError(`${follower.path} was replaced while it was read; read the file again`)
  const { outcome } = follower.finish()
  if (follower.broken !== undefined) throw follower.broken.error
  if (outcome.status === 'corrupt')
    throw new RecordError(
      `${follower.path} is corrupt at byte ${outcome.offset}, line ${outcome.line}: ${outcome.reason}`,
    )
  if (outcome.records === 0) throw new RecordError(`${follower.path} holds no record`)
}

/**
 * Opens a log file for seeking, calls `use` with the log, and closes the log. If `use` finds that the index does not
 * fit the log, the function opens the log with a new index and calls `use` again.
 *
 * @param say receives remarks about an existing index file that cannot be used
 * @throws the errors of `openSeekableLog`, and the errors of `use`
 */
export function seekInLog<Found>(path: string, use: (log: SeekableLog) => Found, say: (remark: string) => void): Found {
  try {
    return using(openSeekableLog(path), use, say)
  } catch (error) {
    if (!(error instanceof IndexMisfitError)) throw error
    say(`${error.message}; the index is made again`)
    return using(openSeekableLog(path, { keepIndex: true, takeIndex: false }), use, say)
  }
}

function using<Found>(log: SeekableLog, use: (log: SeekableLog) => Found, say: (remark: string) => void): Found {
  try {
    if (log.remark !== undefined) say(log.remark)
    return use(log)
  } finally {
    log.close()
  }
}
