import { Effect, Fiber } from 'effect'
import { expect, test } from 'vitest'
import { inSlices, OptionError } from '../src/index.ts'

/** Source of the numbers from 0, with a flag for a closed generator. */
class Numbers {
  read: number
  isClosed: boolean

  constructor() {
    this.read = 0
    this.isClosed = false
  }

  *upTo(count: number): Generator<number, void> {
    try {
      while (this.read < count) yield this.read++
    } finally {
      this.isClosed = true
    }
  }
}

test.each([0, 1, 999, 1000, 1001, 5000])('inSlices gives %i items in order, each item once', async (count) => {
  const got: Array<number> = []
  await Effect.runPromise(inSlices(new Numbers().upTo(count), (slice) => got.push(...slice)))
  expect(got).toEqual(Array.from({ length: count }, (_, at) => at))
})

test('an interrupt of inSlices works between two slices, and closes the iterator', async () => {
  const numbers = new Numbers()
  const work = Effect.gen(function* () {
    const reading = yield* Effect.forkChild(inSlices(numbers.upTo(Infinity), () => {}))
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    yield* Fiber.interrupt(reading)
  })
  await Effect.runPromise(work)
  expect(numbers.read).toBeGreaterThan(0)
  expect(numbers.isClosed).toBe(true)
})

test('an error with a tag in inSlices becomes a failure, and closes the iterator', async () => {
  const numbers = new Numbers()
  const error = new OptionError({ option: 'out', reason: 'no' })
  const failing = inSlices(numbers.upTo(3000), (slice) => {
    if (slice.includes(1500)) throw error
  })
  expect(await Effect.runPromise(Effect.flip(failing))).toBe(error)
  expect(numbers).toMatchObject({ read: 2000, isClosed: true })
})
