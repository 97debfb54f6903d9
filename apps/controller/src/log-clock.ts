import { Clock, Effect } from 'effect'

/** Both clocks, read at one moment. */
export interface ClockReading {
  /** Unix milliseconds. */
  readonly wall: number
  /** Nanoseconds since an arbitrary moment. */
  readonly monotonic: bigint
}

export const readClocks: Effect.Effect<ClockReading> = Effect.all({
  wall: Clock.currentTimeMillis,
  monotonic: Clock.monotonicTimeNanos,
})

/**
 * Returns milliseconds since the start of a log. The time only goes forward, even if the wall clock is set back.
 *
 * @param read clocks before the log was read; the time of reading a long log counts
 * @param epoch Unix milliseconds of the log's start
 * @param last time of the log's last record, in ms
 */
export function logClock({ wall, monotonic }: ClockReading, epoch: number, last: () => number): Effect.Effect<number> {
  const first = Math.max(last() + 1, wall - epoch)
  return Effect.map(Clock.monotonicTimeNanos, (now) =>
    Math.max(last() + 1, first + Number((now - monotonic) / 1_000_000n)),
  )
}
