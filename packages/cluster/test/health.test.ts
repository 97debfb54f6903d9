import { Effect } from 'effect'
import { TestClock } from 'effect/testing'
import { describe, expect, it } from 'vitest'
import { Health, type LeaseState } from '../src/health.ts'

const run = (program: Effect.Effect<void>): Promise<void> =>
  Effect.runPromise(Effect.provide(program, TestClock.layer()))

describe('the health of a controller or an observer', () => {
  it('a program is healthy while Slurm answers within three intervals, and at least within 30 s', async () => {
    for (const [interval, most] of [
      [2, 30],
      [60, 180],
    ])
      await run(
        Effect.gen(function* () {
          const health = new Health()
          expect(yield* health.problem).toBe('the program starts')
          yield* health.begin(interval, () => 'none')
          yield* TestClock.adjust(`${most - 1} seconds`)
          yield* health.looked
          yield* TestClock.adjust(`${most} seconds`)
          expect(yield* health.problem).toBe(undefined)
          yield* TestClock.adjust('1 second')
          expect(yield* health.problem).toBe(`Slurm has not answered for ${most + 1} s, expected at most ${most} s`)
          yield* health.looked
          expect(yield* health.problem).toBe(undefined)
        }),
      )
  })

  it('a starting controller was healthy without the lease, after the first answer of Slurm', async () => {
    await run(
      Effect.gen(function* () {
        const health = new Health()
        yield* health.looked
        expect(yield* health.problem).toBe('the program starts')
      }),
    )
  })

  it('a controller is healthy while it holds the lease or waits for the lease, and unhealthy without a renewal', async () => {
    await run(
      Effect.gen(function* () {
        const health = new Health()
        yield* health.standBy
        yield* TestClock.adjust('1 hour')
        expect([health.lease, yield* health.problem]).toEqual(['standby', undefined])
        let lease: LeaseState = 'held'
        yield* health.begin(2, () => lease)
        expect(yield* health.problem).toBe(undefined)
        lease = 'late'
        expect(yield* health.problem).toBe('the lease could not be renewed in time')
        lease = 'lost'
        expect(yield* health.problem).toBe('the lease is lost')
      }),
    )
  })
})
