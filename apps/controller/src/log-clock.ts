import { Clock, Effect } from 'effect'

/** What both clocks said at one moment. */
export interface ClockReading {
  /** Unix milliseconds. */
  readonly wall: number
  /** Nanoseconds from some moment on. */
  readonly monotonic: bigint
}

export const readClocks: Effect.Effect<ClockReading> = Effect.all({
  wall: Clock.currentTimeMillis,
  monotonic: Clock.monotonicTimeNanos,
})

/**
 * Milliseconds since the start of a log, which only go on, whatever becomes of the clock on the wall.
 *
 * @param read before the log was: to read a long one takes time, by which the clock would be late
 * @param epoch Unix milliseconds of the log's start
 * @param last time of the log, milliseconds
 */
export function logClock({ wall, monotonic }: ClockReading, epoch: number, last: () => number): Effect.Effect<number> {
  const first = Math.max(last() + 1, wall - epoch)
  return Effect.map(Clock.monotonicTimeNanos, (now) =>
    Math.max(last() + 1, first + Number((now - monotonic) / 1_000_000n)),
  )
}
