import { FoldError } from '@cloister/eventlog'
import { Data, Effect, Runtime } from 'effect'
import { visibleOnOneLine } from '../terminal/output.ts'

/**
 * What exit codes mean, for every command: 0 done; 1 it ran, and the answer is no (a violation, a failed check); 2 it
 * could not run: wrong option, unreadable or corrupt input; 3 done as far as the log goes, but the log is not whole;
 * 70 a defect of this program.
 */
export const exitCodes = { no: 1, unusable: 2, notWhole: 3, defect: 70 } as const

/** Why a command could not run, for people: what was found, where, and what would be right. */
export class Problem extends Data.TaggedError('Problem')<{ readonly message: string }> {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode]: number

  constructor(message: string, exitCode: number = exitCodes.unusable) {
    super({ message })
    this[Runtime.errorExitCode] = exitCode
  }
}

/** The command has said all there is to say; what is left is its exit code. */
export class ExitWith extends Data.TaggedError('ExitWith') {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode]: number

  constructor(exitCode: number) {
    super()
    this[Runtime.errorExitCode] = exitCode
  }
}

/** Runs plain code. Errors that our packages and the operating system throw become problems; any other is a defect. */
export function attempt<A>(run: () => A): Effect.Effect<A, Problem> {
  return Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      return failure(error)
    }
  })
}

function failure(error: unknown): Effect.Effect<never, Problem> {
  if (error instanceof Problem) return Effect.fail(error)
  if (isSystemError(error)) return Effect.fail(new Problem(systemProblem(error)))
  // What a log says of its jobs stands in these.
  if (error instanceof FoldError) return Effect.fail(new Problem(visibleOnOneLine(error.message)))
  if (error instanceof Error && '_tag' in error) return Effect.fail(new Problem(error.message))
  return Effect.die(error)
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

function systemProblem({ code, path, message }: NodeJS.ErrnoException): string {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'is a folder, not a file',
    ENOTDIR: 'a part of the path is a file, not a folder',
    EACCES: 'permission denied',
    EEXIST: 'exists already',
    ENOSPC: 'the disk is full',
  }
  const reason = reasons[code ?? '']
  return reason === undefined || path === undefined ? message : `${path}: ${reason}`
}
