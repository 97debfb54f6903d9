import { closeSync } from 'node:fs'

/**
 * Reason why a file cannot be read or written. `exists`: the file must not be overwritten. `locked`: another process
 * writes the file. `replaced`: the file was deleted or replaced while it was being written. `changed`: another program
 * wrote into the file while it was being written. `refused`: the operating system (with a `code`) or this program
 * refuses the file.
 */
export type LogFileReason = 'exists' | 'locked' | 'replaced' | 'changed' | 'refused'

/** Error for a file that cannot be opened, read, made or written, with a message that names file and reason. */
export class LogFileError extends Error {
  readonly _tag: 'LogFileError' = 'LogFileError'
  override readonly name: string = 'LogFileError'
  readonly path: string
  readonly reason: LogFileReason
  /** Error code of the operating system, such as `ENOENT` or `ENOSPC`; undefined if this program refused the file. */
  readonly code: string | undefined

  constructor(path: string, reason: LogFileReason, message: string, cause?: NodeJS.ErrnoException) {
    super(message, cause === undefined ? {} : { cause })
    this.path = path
    this.reason = reason
    this.code = cause?.code
  }
}

/** Returns a LogFileError for an error of the operating system. Its message names action, path and cause. */
export function refused(action: 'read' | 'write', path: string, cause: NodeJS.ErrnoException): LogFileError {
  const code = cause.code ?? 'unknown'
  const message = `cannot ${action} ${path}: ${REASONS[action][code] ?? cause.message}`
  return new LogFileError(path, code === 'EEXIST' ? 'exists' : 'refused', message, cause)
}

const COMMON_REASONS: { readonly [code: string]: string } = {
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
}
const REASONS: { readonly [Action in 'read' | 'write']: { readonly [code: string]: string } } = {
  read: {
    ...COMMON_REASONS,
    ENOENT: 'there is no such file',
    EACCES: 'you may not read it',
    EPERM: 'you may not read it',
  },
  write: {
    ...COMMON_REASONS,
    EEXIST: 'the file exists; choose another name or force overwriting it',
    ENOENT: 'its folder does not exist',
    EACCES: 'you may not write there',
    EPERM: 'you may not write there',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your disk quota is used up',
    EFBIG: 'the file would become too large',
    EPIPE: 'the process that read the pipe has ended',
  },
}

/** Runs a file operation and turns errors of the operating system into LogFileErrors. */
export function attempt<T>(action: 'read' | 'write', path: string, operation: () => T): T {
  try {
    return operation()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw refused(action, path, error as NodeJS.ErrnoException)
  }
}

/** Closes a file that was read, and ignores errors. */
export function closeRead(file: number): void {
  try {
    closeSync(file)
  } catch {
    // A file that was only read loses no bytes if closing fails.
  }
}
