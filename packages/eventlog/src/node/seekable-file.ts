import { indexPath } from './index-file.ts'
import { RecordError } from '../records/record-error.ts'
import { LogFollower } from './log-follower.ts'
import type { LogIndex } from '../log/log-index.ts'
import type { LogOutcome } from '../log/reader.ts'
import { LogSeeker } from '../log/seek.ts'
import { sha256 } from './sha256.ts'

/** A log file in which any state is found quickly. */
export class SeekableLog extends LogSeeker {
  /** Whether the index was there already, was made and kept beside the log, or is in memory only. */
  readonly indexed: LogFollower['indexed']
  readonly #follower: LogFollower

  constructor(follower: LogFollower, index: LogIndex) {
    super(index, follower.read, sha256, follower.indexed === 'found' ? indexPath(follower.path) : undefined)
    this.#follower = follower
    this.indexed = follower.indexed
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
 * @param options.keepIndex whether to write the index; default: for logs of 4 MiB and more
 * @throws LogFileError where the file cannot be read
 * @throws RecordError where the log is corrupt, or holds no record at all
 * @throws FoldError where a record cannot follow those before it
 */
export function openSeekableLog(path: string, options: { readonly keepIndex?: boolean } = {}): SeekableLog {
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
  const { outcome } = follower.finish()
  if (follower.broken !== undefined) throw follower.broken.error
  if (outcome.status === 'corrupt')
    throw new RecordError(
      `${follower.path} is corrupt at byte ${outcome.offset}, line ${outcome.line}: ${outcome.reason}`,
    )
  if (outcome.records === 0) throw new RecordError(`${follower.path} holds no record`)
}
