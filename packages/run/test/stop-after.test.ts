import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { blamePolicy, OptionError, run } from '../src/index.ts'
import { stopAfter } from '../src/node/index.ts'
import { inMemory } from './memory.ts'

describe('stopAfter, a function for calls with a time limit,', () => {
  // A call of a function without a loop has taken more than 50 ms on a busy machine.
  const { call } = stopAfter(60_000)

  it('a call under stopAfter returns an answer and rethrows an error, both unchanged', () => {
    const answer = {}
    expect(call(() => answer)?.answer).toBe(answer)
    expect(call(() => undefined)).toEqual({ answer: undefined })
    const thrown = Object.assign(new Error('mine'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' })
    expect(() =>
      call(() => {
        throw thrown
      }),
    ).toThrow(thrown)
  })

  it('a call under stopAfter stops an endless loop with a catch, and a later call works', () => {
    let steps = 0
    const stubborn = (): never => {
      for (;;) {
        try {
          for (;;) steps++
        } catch {
          // The stop is no error that the loop could catch.
        } finally {
          steps = 0
        }
      }
    }
    expect(stopAfter(50).call(stubborn)).toBeUndefined()
    expect(steps).toBeGreaterThan(0)
    expect(call(() => 7)).toEqual({ answer: 7 })
  })

  it('a policy is asked once more if its process had no processor, as a stopped process has none', () => {
    const cell = new Int32Array(new SharedArrayBuffer(4))
    let asked = 0
    // The first call waits and uses no processor time until the limit.
    const answer = (): number => (++asked === 1 ? Number(Atomics.wait(cell, 0, 0) === 'ok') : asked)
    expect(stopAfter(200).call(answer)).toEqual({ answer: 2 })
    expect(stopAfter(50).call(() => Atomics.wait(cell, 0, 0))).toBeUndefined()
  })

  it('the option maxPlaceMs is refused without the service StopAfter', async () => {
    const spec = { trace: 'synth:4:5', topology: 'radix:6', policy: 'baseline', maxPlaceMs: 100 }
    const failed = await Effect.runPromise(run(spec, { sink: () => {} }).pipe(Effect.flip, Effect.provide(inMemory())))
    expect(failed).toEqual(
      new OptionError({
        option: 'maxPlaceMs',
        reason: 'this platform cannot stop a policy; run under Node, or leave out the option',
      }),
    )
  })
})

it("a policy's code cannot end the process", () => {
  const found = { policy: { name: 'mine' } as never, origin: './mine.ts' }
  const before = Object.getOwnPropertyDescriptor(process, 'exit')
  const message = /failed in make: the policy called process\.exit\(3\), which would end the whole program$/
  expect(() => blamePolicy(found, 'make', () => process.exit(3))).toThrow(message)
  expect(Object.getOwnPropertyDescriptor(process, 'exit')).toEqual(before)
})
