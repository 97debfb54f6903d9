import * as Data from 'effect/Data'
import * as Effect from 'effect/Effect'
import { isTagged, type TaggedProblem } from '../errors.ts'

/** Error of the operating system, such as a missing file or a full disk. */
export class SystemError extends Data.TaggedError('SystemError')<{
  /** Code of the operating system's error, such as `ENOENT` or `ENOSPC`. */
  readonly code: string
  readonly path: string | undefined
  readonly cause: Error
}> {
  override get message(): string {
    return this.cause.message
  }
}

/**
 * Runs plain code as an effect. Errors with a tag become failures, errors of the operating system become failures with a
 * SystemError, and other errors become defects.
 */
export function attempt<A>(run: () => A): Effect.Effect<A, TaggedProblem> {
  return Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      if (isTagged(error)) return Effect.fail(error)
      if (!isSystemError(error)) return Effect.die(error)
      return Effect.fail(new SystemError({ code: error.code ?? '', path: error.path, cause: error }))
    }
  })
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** Calls `run`. Sets `path` in an error of the operating system, because the error may name another file or none. */
export function withPath<A>(path: string, run: () => A): A {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw Object.assign(error, { path })
    throw error
  }
}
