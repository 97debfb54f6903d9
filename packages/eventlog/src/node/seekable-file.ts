import { indexPath } from './index-file.ts'
import { RecordError } from '../records/record-error.ts'
import { LogFollower } from './log-follower.ts'
import type { LogIndex } from '../log/log-index.ts'
import type { LogOutcome } from '../log/reader.ts'
import { IndexMisfitError, LogSeeker } from '../log/seek.ts'
import { sha256 } from './sha256.ts'

/** Log file in which any state is found quickly. */
export class SeekableLog extends LogSeeker {
  /** Origin of the index: `found` beside the log, `made` and kept beside the log, or `in memory` only. */
  readonly indexed: LogFollower['indexed']
  /** Remark for the user about an unusable index; undefined if there is none. */
  readonly remark: string | undefined
  readonly #follower: LogFollower

  constructor(follower: LogFollower, index: LogIndex) {
    super(index, follower.read, sha256, follower.indexed === 'found' ? indexPath(follower.path) : undefined)
    this.#follower = follower
    this.indexed = follower.indexed
    this.remark = follower.remark
  }

  /** Outcome of the log when the log was opened. */
  get outcome(): LogOutcome {
    return this.index.outcome
  }

  close(): void {
    this.#follower.close()
  }
}

/**
 * Opens a log for seeking. The first opening reads the whole log with the checks of `readLog`. The index is then kept
 * beside the log, unless the log is small or the folder is read-only. A damaged index, or an index of other bytes, is
 * made again.
 *
 * @param options.keepIndex true to write the index; default: for logs of 4 MiB and more, and if an existing index is
 * unusable
 * @param options.takeIndex false to ignore an existing index
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
  if (follower.wasReplaced) throw new RecordError(`${follower.path} was written anew while it was read: read it again`)
  const { outcome } = follower.finish()
  if (follower.broken !== undefined) throw follower.broken.error
  if (outcome.status === 'corrupt')
    throw new RecordError(
      `${follower.path} is corrupt at byte ${outcome.offset}, line ${outcome.line}: ${outcome.reason}`,
    )
  if (outcome.records === 0) throw new RecordError(`${follower.path} holds no record`)
}

/**
 * Opens a log for seeking, hands the log to `use`, and closes the log. If the index turns out not to fit the log, both
 * steps are repeated with a new index.
 *
 * @param say receives remarks about an existing index that cannot be used
 * @throws as `openSeekableLog` does, and all errors of `use`
 */
export function seekInLog<Found>(path: string, use: (log: SeekableLog) => Found, say: (remark: string) => void): Found {
  try {
    return using(openSeekableLog(path), use, say)
  } catch (error) {
    if (!(error instanceof IndexMisfitError)) throw error
    say(`${error.message}; it is made anew`)
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
