import { randomBytes } from 'node:crypto'
import type { TaggedProblem } from '@cloister/run'
import { separatorOf } from '@cloister/slurm'
import { Clock, Console, Context, Effect, Metric, Schedule } from 'effect'
import type * as Duration from 'effect/Duration'
import { CurrentHealth, failedQueries } from './health.ts'
import { SlurmCommandError } from './programs.ts'

/** Functions by which a program shows remarks and errors to users. */
export interface Reporting {
  /** Prints a remark of one line. The remark may quote text of Slurm's users. Default: prints to standard error. */
  readonly remark: (text: string) => Effect.Effect<void>
  /** Describes an error. Default: the message of the error. */
  readonly describe: (error: TaggedProblem) => string
}

/** Service that shows remarks and errors, by default on the standard error of Effect's `Console`. */
export const Reporter: Context.Reference<Reporting> = Context.Reference<Reporting>('@cloister/cluster/Reporter', {
  defaultValue: () => ({ remark: (text) => Console.error(text), describe: (error) => error.message }),
})

export function remark(text: string): Effect.Effect<void> {
  return Effect.flatMap(Reporter, (reporter) => reporter.remark(text))
}

/** Prints a remark at the first of several failures, and another remark at the first success after failures. */
export class Outage {
  isOn = false

  readonly begin = (text: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (this.isOn) return Effect.void
      this.isOn = true
      return remark(text)
    })

  readonly end = (text: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!this.isOn) return Effect.void
      this.isOn = false
      return remark(text)
    })
}

/** Draws a separator of fields for each query, so that no job can contain the separator by intention. */
export const newSeparator: Effect.Effect<string> = Effect.sync(() => separatorOf(randomBytes(8).toString('hex')))

export function mayPass(error: { readonly _tag: string }): error is SlurmCommandError {
  return error instanceof SlurmCommandError && error.mayPass
}

/**
 * Repeats a query until Slurm answers or fails for good. Remarks tell when failed queries begin and end.
 *
 * @param delays first and longest delay between two queries
 * @param failed describes the first failed query
 */
export const untilAnswered = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  query: Effect.Effect<A, E, R>,
  delays: { readonly first: Duration.Input; readonly longest: Duration.Input },
  failed: (error: SlurmCommandError) => string,
) {
  const outage = new Outage()
  const answer = yield* query.pipe(
    Effect.tapError((error) => (mayPass(error) ? outage.begin(failed(error)) : Effect.void)),
    Effect.tapError(() => Metric.update(failedQueries, 1)),
    Effect.retry({
      while: mayPass,
      schedule: Schedule.min([Schedule.exponential(delays.first), Schedule.spaced(delays.longest)]),
    }),
  )
  yield* outage.end('Slurm answers again')
  yield* (yield* CurrentHealth).looked
  return answer
})

/** Reads the monotonic clock, in whole ms. */
export const monotonicMilliseconds: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) =>
  Number(nanos / 1_000_000n),
)

/** Runs a step of a program again and again. @param times number of steps; undefined for no end */
export function again<A, E, R>(
  step: Effect.Effect<A, E, R>,
  delay: Duration.Input,
  times: number | undefined,
): Effect.Effect<unknown, E, R> {
  const schedule = Schedule.spaced(delay)
  return Effect.repeat(step, times === undefined ? { schedule } : { schedule, times: times - 1 })
}
