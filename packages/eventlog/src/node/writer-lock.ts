import { realpathSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { FileLease, runSync, type Steps, syncCalls, type Taking } from '@cloister/file-lease'
import { attempt, LogFileError } from './files.ts'

/** Lock of a log: until `release`, no other process of this program can write the log. */
export interface WriterLock {
  release(): void
}

/**
 * Locks a log for one writer at a time, by a folder `LOG.lock` beside the log that names the writer's process. The lock
 * of a dead process is taken over. A log with several hard links is refused, because another process could write the
 * log under another name, with another lock.
 *
 * @throws LogFileError with the reason `locked` if another process writes the log or may write the log
 */
export function lockForWriting(path: string): WriterLock {
  const log = realPath(path)
  const there = attempt('write', path, () => statSync(log, { throwIfNoEntry: false }))
  if (there?.isFile() === true && there.nlink > 1)
    throw locked(
      path,
      `the file has ${there.nlink} names (hard links), and another process could write it under another name; write to a copy of the file`,
    )
  // A file here is no lock of this program, or a lock of an earlier version of this program.
  const old = attempt('write', path, () => statSync(`${log}.lock`, { throwIfNoEntry: false }))
  if (old?.isDirectory() === false) throw writtenBy({}, log, path)
  const lease = leaseOf(log)
  const run = <A>(steps: Steps<A>): A => attempt('write', path, () => runSync(steps))
  const release = (): void => run(lease.release())
  let taking: Taking
  try {
    taking = run(lease.take())
  } catch (error) {
    // The failed calls may have made the lock.
    removeQuietly(release)
    throw error
  }
  if (!taking.isTaken) throw writtenBy(taking, log, path)
  return { release }
}

/** Returns true if the process named in the log's lock may still run, or if the lock is unreadable. */
export function isBeingWritten(path: string): boolean {
  try {
    return runSync(leaseOf(realPath(path)).mayBeHeld())
  } catch {
    return true
  }
}

/** Removes a lock that was perhaps made before an error. The error is more important than a failed removal. */
function removeQuietly(release: () => void): void {
  try {
    release()
  } catch {
    // The next writer takes over the lock of this process after its end.
  }
}

function leaseOf(log: string): FileLease {
  return new FileLease({ folder: `${log}.lock`, seconds: Infinity, clock: () => 0, calls: syncCalls })
}

/** Returns the path without symbolic links: two names of one file need the same lock. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function writtenBy({ by }: Pick<Taking, 'by'>, log: string, path: string): LogFileError {
  const who =
    by === undefined ? 'another process' : `process ${by.pid}${by.host === hostname() ? '' : ` on ${by.host}`}`
  return locked(path, `${who} writes the file; if no process does, delete ${log}.lock`)
}

function locked(path: string, reason: string): LogFileError {
  return new LogFileError(path, 'locked', `cannot write ${path}: ${reason}`)
}
