import * as Effect from 'effect/Effect'
import { attempt, type TaggedProblem } from './errors.ts'

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
