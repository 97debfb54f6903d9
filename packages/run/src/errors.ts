import type { PolicyFaultError } from '@cloister/kernel'
import * as Data from 'effect/Data'
import * as Effect from 'effect/Effect'

/** Expected error. The tag names the kind of error for programs, and the message is for people. */
export interface TaggedProblem extends Error {
  readonly _tag: string
}

/** Error for an option with a wrong or missing value. The caller adds the place: a flag, or a field of a file. */
export class OptionError extends Data.TaggedError('OptionError')<{
  /** Run option (`procsPerNode`), flag of a command without its dashes (`max-questions`), or unknown name as given. */
  readonly option: string
  /** Found value and accepted values, without the option's name. */
  readonly reason: string
}> {
  override get message(): string {
    return `${this.option}: ${this.reason}`
  }
}

/** Error for a policy whose code threw an error or broke the contract in another way. */
export class PolicyFailedError extends Data.TaggedError('PolicyFailedError')<{
  readonly policy: string
  /** Origin of the policy: `built in`, or the package or file that exports the policy. */
  readonly origin: string
  readonly calling: 'make' | 'place'
  /** Value that the policy threw; undefined if the policy broke the contract in another way. */
  readonly cause: unknown
  /** Fault in a run, with the failed request; absent outside of a run. */
  readonly fault?: PolicyFaultError
}> {
  override get message(): string {
    const { policy, origin, calling, cause, fault } = this
    if (fault !== undefined) return `policy ${policy} (${origin}) failed: ${fault.reason}`
    return `policy ${policy} (${origin}) failed in ${calling}: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** Error for a router whose code threw an error or broke the contract in another way. */
export class RouterFailedError extends Data.TaggedError('RouterFailedError')<{
  readonly router: string
  /** Package or file that exports the router. */
  readonly origin: string
  /** Call that failed, such as `start of job 17`. */
  readonly calling: string
  /** Value that the router threw; undefined if the router broke the contract in another way. */
  readonly cause: unknown
  /** Breach of the contract, such as a port that does not exist; absent if the router threw. */
  readonly defect?: string
}> {
  override get message(): string {
    const { router, origin, calling, cause, defect } = this
    const reason = defect ?? (cause instanceof Error ? cause.message : String(cause))
    return `router ${router} (${origin}) failed in ${calling}: ${reason}`
  }
}

/** Error for a file that cannot be read. */
export class FileError extends Data.TaggedError('FileError')<{
  readonly path: string
  /** Reason for people, such as `there is no such file`. */
  readonly reason: string
}> {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

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

/** Returns true for an error with a tag, which marks expected errors. */
export function isTagged(error: unknown): error is TaggedProblem {
  return error instanceof Error && '_tag' in error && typeof error._tag === 'string'
}

/** Returns the option error for an error from reading the option's value. @throws `error` itself if it has no tag */
export function optionError(option: string, error: unknown): OptionError {
  if (error instanceof OptionError) return new OptionError({ option, reason: error.reason })
  if (!isTagged(error)) throw error
  const { message, found, expected } = error as TaggedProblem & { readonly found?: string; readonly expected?: string }
  const isMismatch = 'found' in error && 'expected' in error
  return new OptionError({
    option,
    reason: isMismatch ? `found ${JSON.stringify(found)}, expected ${expected}` : message,
  })
}

/**
 * Runs plain code as an effect. A thrown error with a tag becomes a failure, an error of the operating system a failure
 * with a SystemError, and any other thrown value a defect. If `option` is given, errors with a tag become OptionErrors.
 */
export function attempt<A>(run: () => A, option?: string): Effect.Effect<A, TaggedProblem> {
  return Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      return failed(error, option)
    }
  })
}

/** Runs plain code that returns a promise as an effect. Errors are as for `attempt`. */
export function attemptLater<A>(run: () => Promise<A>, option?: string): Effect.Effect<A, TaggedProblem> {
  const ended = (): Promise<Effect.Effect<A, TaggedProblem>> =>
    run().then(Effect.succeed, (error: unknown) => failed(error, option))
  return Effect.flatten(Effect.promise(ended))
}

function failed(error: unknown, option: string | undefined): Effect.Effect<never, TaggedProblem> {
  if (isSystemError(error))
    return Effect.fail(new SystemError({ code: error.code ?? '', path: error.path, cause: error }))
  if (!isTagged(error)) return Effect.die(error)
  return Effect.fail(option === undefined ? error : optionError(option, error))
}

/** Returns true for an error of the operating system, as Node throws it. */
export function isSystemError(error: unknown): error is Error & { readonly code?: string; readonly path?: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && !isTagged(error)
}

/** Number of items in a slice, for some milliseconds of work. */
const SLICE = 1000

/**
 * Gives many items to plain code in slices of 1000. Signals, timers and other fibres run between two slices. The
 * iterator is closed in any case. A thrown error with a tag becomes a failure, and any other thrown value a defect.
 */
export function inSlices<A>(
  items: Iterable<A>,
  use: (slice: ReadonlyArray<A>) => void,
): Effect.Effect<void, TaggedProblem> {
  return Effect.suspend(() => {
    const left = items[Symbol.iterator]()
    const next = attempt(() => {
      const slice: Array<A> = []
      let item = left.next()
      for (; item.done !== true; item = left.next()) if (slice.push(item.value) === SLICE) break
      use(slice)
      return item.done === true
    })
    return next.pipe(
      Effect.tap(Effect.yieldNow),
      Effect.repeat({ until: (isLast) => isLast }),
      Effect.ensuring(Effect.sync(() => void left.return?.())),
      Effect.asVoid,
    )
  })
}
