import { indexPath } from './index-file.ts'
import { RecordError } from '../records/record-error.ts'
import { LogFollower } from './log-follower.ts'
import type { LogIndex } from '../log/log-index.ts'
import type { LogOutcome } from '../log/reader.ts'
import { IndexMisfitError, LogSeeker } from '../log/seek.ts'
import { sha256 } from './sha256.ts'

/** A log file in which any state is found quickly. */
export class SeekableLog extends LogSeeker {
  /** Whether the index was there already, was made and kept beside the log, or is in memory only. */
  readonly indexed: LogFollower['indexed']
  /** What is to be said aloud of an index that was there and was not used. */
  readonly remark: string | undefined
  readonly #follower: LogFollower

  constructor(follower: LogFollower, index: LogIndex) {
    super(index, follower.read, sha256, follower.indexed === 'found' ? indexPath(follower.path) : undefined)
    this.#follower = follower
    this.indexed = follower.indexed
    this.remark = follower.remark
  }

  /** How the log ended when it was opened. */
  get outcome(): LogOutcome {
    return this.index.outcome
  }

  close(): void {
    this.#follower.close()
  }
}

/**
 * Opens a log for seeking. The first time it is read whole and checked as `readLog` does, and its index is kept beside it,
 * where the log is not small and that folder can be written; an index that is damaged or of another state of the log is made anew.
 *
 * @param options.keepIndex whether to write the index; default: for logs of 4 MiB and more, and where one is there that cannot be used
 * @param options.takeIndex whether to take an index that is there
 * @throws LogFileError where the file cannot be read
 * @throws RecordError where the log is corrupt, or holds no record at all
 * @throws FoldError where a record cannot follow those before it
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
 * Opens a log for seeking, hands it to `use`, and closes it. Where its index turns out not to fit it, both are done again with one
 * that is made anew.
 *
 * @param say told what becomes of an index that was there and cannot be used
 * @throws as `openSeekableLog`, and what `use` throws
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
