import { isTagged, type TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import { SystemError } from './errors.ts'

/** Calls `run`. Tagged errors of Cloister and errors of the operating system become failures, other errors defects. */
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
