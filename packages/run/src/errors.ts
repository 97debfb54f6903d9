import type { PolicyFaultError } from '@cloister/kernel'
import * as Data from 'effect/Data'
import * as Effect from 'effect/Effect'

/** Any error of ours: told apart by its tag, with a message for people. */
export interface TaggedProblem extends Error {
  readonly _tag: string
}

/** An option that cannot be as it is given. Who shows it says where it was given: a flag, a field of a file. */
export class OptionError extends Data.TaggedError('OptionError')<{
  /** Its name in the table of options. */
  readonly option: string
  /** What was found and what would be right, without the option's name. */
  readonly reason: string
}> {
  override get message(): string {
    return `${this.option}: ${this.reason}`
  }
}

/** Code of a policy that threw, or broke its contract otherwise. */
export class PolicyFailedError extends Data.TaggedError('PolicyFailedError')<{
  readonly policy: string
  /** The package or file that exports the policy. */
  readonly origin: string
  /** Which of its functions. */
  readonly calling: 'make' | 'place'
  /** What it threw; undefined where it did something else that its contract forbids. */
  readonly cause: unknown
  /** In a run: at which question, and what it did. */
  readonly fault?: PolicyFaultError
}> {
  override get message(): string {
    const { policy, origin, calling, cause, fault } = this
    if (fault !== undefined) return `policy ${policy} (${origin}) failed: ${fault.reason}`
    return `policy ${policy} (${origin}) failed in ${calling}: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** A file that cannot be read. */
export class FileError extends Data.TaggedError('FileError')<{
  readonly path: string
  /** Why not: `there is no such file`. */
  readonly reason: string
}> {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

/** An error of ours that says what was found and what would be right. */
interface Mismatch extends TaggedProblem {
  readonly found: string
  readonly expected: string
}

/** Whether an error is one of ours. */
export function isTagged(error: unknown): error is TaggedProblem {
  return error instanceof Error && '_tag' in error && typeof error._tag === 'string'
}

/** The option error for whatever reading its value threw; a defect is thrown again. */
export function optionError(option: string, error: unknown): OptionError {
  if (error instanceof OptionError) return new OptionError({ option, reason: error.reason })
  if (!isTagged(error)) throw error
  return new OptionError({ option, reason: reasonOf(error) })
}

function reasonOf(error: TaggedProblem): string {
  if (!('found' in error && 'expected' in error)) return error.message
  const { found, expected } = error as Mismatch
  return `found ${JSON.stringify(found)}, expected ${expected}`
}

/**
 * Runs plain code. Errors of ours that it throws become failures, of an option where one is named; any other is a
 * defect.
 */
export function attempt<A>(run: () => A): Effect.Effect<A, TaggedProblem>
export function attempt<A>(run: () => A, option: string): Effect.Effect<A, OptionError>
export function attempt<A>(run: () => A, option?: string): Effect.Effect<A, TaggedProblem> {
  return Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      if (!isTagged(error)) return Effect.die(error)
      return Effect.fail(option === undefined ? error : optionError(option, error))
    }
  })
}
