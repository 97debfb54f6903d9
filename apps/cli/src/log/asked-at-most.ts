import { OptionError } from '@cloister/run'
import { Effect, Option } from 'effect'

/** Returns the value of `--max-questions` as an option of a rerun, or an empty object without the flag. */
export const askedAtMost = Effect.fnUntraced(function* (maxQuestions: Option.Option<number>) {
  if (Option.isNone(maxQuestions)) return {}
  if (maxQuestions.value < 1)
    return yield* new OptionError({
      option: 'max-questions',
      reason: `found ${maxQuestions.value}, expected a whole number from 1`,
    })
  return { mostQuestions: maxQuestions.value }
})
