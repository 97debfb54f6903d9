import { Clock, Effect } from 'effect'

/** Unix milliseconds of the wall clock and nanoseconds of the monotonic clock, read at one moment. */
export interface ClockReading {
  readonly wall: number
  readonly monotonic: bigint
}

export const readClocks: Effect.Effect<ClockReading> = Effect.all({
  wall: Clock.currentTimeMillis,
  monotonic: Clock.monotonicTimeNanos,
})

/**
 * Clock of a log, in ms since t = 0, that only goes forward, even if the wall clock is set back.
 *
 * @param read reading of the clocks from before the log was read, because reading a long log takes time
 * @param last returns the time of the log's last record, in ms
 */
export function logClock({ wall, monotonic }: ClockReading, epoch: number, last: () => number): Effect.Effect<number> {
  const first = Math.max(last() + 1, wall - epoch)
  return Effect.map(Clock.monotonicTimeNanos, (now) =>
    Math.max(last() + 1, first + Number((now - monotonic) / 1_000_000n)),
  )
}
