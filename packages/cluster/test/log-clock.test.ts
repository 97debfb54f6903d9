import { Effect } from 'effect'
import { TestClock } from 'effect/testing'
import { expect, it } from 'vitest'
import { logClock, readClocks } from '../src/drive/drive.ts'

const inTestTime = <A>(program: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.provide(program, TestClock.layer())))

it('logClock counts the time of reading the log, so that Slurm reports no ends in the future of the log', async () => {
  const told = Effect.gen(function* () {
    yield* TestClock.adjust('100 seconds')
    const read = yield* readClocks
    yield* TestClock.adjust('150 millis')
    const clock = logClock(read, 40_000, () => 0)
    yield* TestClock.adjust('1 second')
    return yield* clock
  })
  expect(await inTestTime(told)).toBe(61_150)
})

it("logClock goes on from the log's last record if the wall clock went back", async () => {
  const told = Effect.gen(function* () {
    const read = yield* readClocks
    let last = 5000
    const clock = logClock(read, 0, () => last)
    const first = yield* clock
    last = 9000
    const second = yield* clock
    yield* TestClock.adjust('10 seconds')
    return [first, second, yield* clock]
  })
  expect(await inTestTime(told)).toEqual([5001, 9001, 15_001])
})
