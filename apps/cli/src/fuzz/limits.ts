import { OptionError } from '@cloister/run'
import { Effect, Option } from 'effect'

/** Limits of a call of `cloister fuzz`: a number of runs and a time. A missing limit is Infinity. */
export interface Limits {
  readonly runs: number
  readonly milliseconds: number
}

/** Returns the limits of `--runs` and `--minutes`. @param unsaid number of runs if the user gives neither option */
export const limitsOf = Effect.fnUntraced(function* (
  given: { readonly runs: Option.Option<number>; readonly minutes: Option.Option<number> },
  unsaid: number,
) {
  const minutes = Option.getOrElse(given.minutes, () => Infinity)
  const runs = Option.getOrElse(given.runs, () => (minutes === Infinity ? unsaid : Infinity))
  if (runs < 1) return yield* new OptionError({ option: 'runs', reason: `found ${runs}, expected at least 1` })
  if (minutes <= 0)
    return yield* new OptionError({ option: 'minutes', reason: `found ${minutes}, expected more than 0` })
  const limits: Limits = { runs, milliseconds: minutes * 60_000 }
  return limits
})

/** Returns the limits as options of `check` of fast-check. */
export function checkingWithin({ runs, milliseconds }: Limits) {
  const time = milliseconds === Infinity ? {} : { interruptAfterTimeLimit: milliseconds, markInterruptAsFailure: false }
  return { numRuns: Math.min(runs, Number.MAX_SAFE_INTEGER), ...time }
}
