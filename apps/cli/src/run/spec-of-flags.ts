import {
  attempt,
  canonicalSpec,
  OptionError,
  optionOf,
  runOptionNames,
  type RunSpec,
  type TaggedProblem,
} from '@cloister/run'
import { parseJsonText } from '@cloister/trace-io'
import type { Effect } from 'effect'
import { runFiles } from './inputs.ts'
import { type GivenOptions, givenSpec } from './run-flags.ts'

/** Returns the canonical description of a run from the values of flags. Options without a flag get the defaults. */
export function specOfFlags(flags: GivenOptions): Effect.Effect<RunSpec, TaggedProblem> {
  return attempt(() => {
    const given: Record<string, unknown> = { ...givenSpec(flags) }
    for (const name of runOptionNames)
      if (optionOf(name).kind === 'json' && typeof given[name] === 'string') given[name] = parseJson(name, given[name])
    return canonicalSpec(given, runFiles)
  })
}

/** Parses the JSON value of an option. @throws OptionError */
export function parseJson(option: string, text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    throw new OptionError({ option, reason: `${(error as Error).message}; expected JSON, such as '{"option":1}'` })
  }
}
