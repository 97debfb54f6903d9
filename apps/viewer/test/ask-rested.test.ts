import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { askRested } from '../src/page/state/asking.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Calls `askRested` with a rest of 50 ms. The test gives the answers. `log` has questions, answers and failures. */
function asked(): {
  readonly log: Array<string>
  readonly stop: () => void
  readonly answer: (text: string) => void
  readonly end: (error?: Error) => Promise<void>
  readonly signal: () => AbortSignal | undefined
} {
  const log: Array<string> = []
  let give: ((text: string) => void) | undefined
  let signal: AbortSignal | undefined
  const ended = Promise.withResolvers<void>()
  const stop = askRested<string>({
    rest: 50,
    ask: (each, of) => {
      log.push('asked')
      ;[give, signal] = [each, of]
      return ended.promise
    },
    given: (text) => log.push(text),
    failed: (message) => log.push(`failed: ${message}`),
  })
  return {
    log,
    stop,
    answer: (text) => give!(text),
    end: async (error) => {
      if (error === undefined) ended.resolve()
      else ended.reject(error)
      await vi.advanceTimersByTimeAsync(0)
    },
    signal: () => signal,
  }
}

it('`askRested` asks a question after its rest, and gives all answers', async () => {
  const { log, answer, end, signal } = asked()
  await vi.advanceTimersByTimeAsync(49)
  expect(log).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  answer('one')
  answer('two')
  await end()
  expect(log).toEqual(['asked', 'one', 'two'])
  expect(signal()?.aborted).toBe(false)
})

it('`askRested` does not ask a question that was stopped before its rest ended', async () => {
  const { log, stop } = asked()
  await vi.advanceTimersByTimeAsync(49)
  stop()
  await vi.advanceTimersByTimeAsync(100)
  expect(log).toEqual([])
})

it('`askRested` drops answers and failures after the stop, and aborts the signal at the stop', async () => {
  const { log, stop, answer, end, signal } = asked()
  await vi.advanceTimersByTimeAsync(50)
  answer('in time')
  stop()
  expect(signal()?.aborted).toBe(true)
  answer('late')
  await end(new Error('nobody is there'))
  expect(log).toEqual(['asked', 'in time'])
})

it('`askRested` reports the failure of a question', async () => {
  const { log, end } = asked()
  await vi.advanceTimersByTimeAsync(50)
  await end(new Error('nobody is there'))
  expect(log).toEqual(['asked', 'failed: nobody is there'])
})
