import {
  attempt,
  flagOf,
  type OptionError,
  type PolicyFailedError,
  type RunOptionName,
  type TaggedProblem,
} from '@cloister/run'
import { Effect } from 'effect'
import { Problem } from '../errors/problem.ts'
import { describeThrown } from '../errors/thrown.ts'

/** Why a run cannot be, for who wrote the command line: an option by its flag, a policy's failure by the place in its code. */
export function problemOf(error: TaggedProblem): Problem {
  switch (error._tag) {
    case 'Problem':
      return error as Problem
    case 'OptionError': {
      const { option, reason } = error as OptionError
      return new Problem(`--${flagOf(option as RunOptionName)}: ${reason}`)
    }
    case 'PolicyFailedError': {
      const { policy, origin, calling, cause } = error as PolicyFailedError
      return new Problem(`policy ${policy} (${origin}) failed in ${calling}: ${describeThrown(cause)}`)
    }
    default:
      return new Problem(error.message)
  }
}

/** Runs what a run is made of; its errors become problems of the command line. */
export function asProblems<A, R>(run: Effect.Effect<A, TaggedProblem, R>): Effect.Effect<A, Problem, R> {
  return Effect.mapError(run, problemOf)
}

/** The same for plain code. */
export function attemptRun<A>(run: () => A): Effect.Effect<A, Problem> {
  return asProblems(attempt(run))
}
