import { isTagged, type TaggedProblem } from '@cloister/run'
import { Data, Effect } from 'effect'
import { SystemError } from './errors.ts'

/**
 * What exit codes mean, for every command: 0 done; 1 it ran, and the answer is no (a violation, a failed check); 2 it
 * could not run: wrong option, unreadable or corrupt input; 3 done as far as the log goes, but the log is not whole;
 * 70 a defect of this program.
 */
export const exitCodes = { no: 1, unusable: 2, notWhole: 3, defect: 70 } as const

/** Why a command could not run, for people: what was found, where, and what would be right. */
export class Problem extends Data.TaggedError('Problem')<{ readonly message: string }> {
  constructor(message: string) {
    super({ message })
  }
}

/** The command has said all there is to say; what is left is its exit code. */
export class ExitWith extends Data.TaggedError('ExitWith')<{ readonly code: number }> {
  constructor(code: number) {
    super({ code })
  }
}

/** Runs plain code. Errors that our packages and the operating system throw become failures; any other is a defect. */
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
