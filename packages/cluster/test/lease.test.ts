import { Cause, Console, Deferred, Effect, Exit, Fiber, Metric } from 'effect'
import { TestClock } from 'effect/testing'
import { describe, expect, it } from 'vitest'
import { holdLease, type Lease } from '../src/drive/lease.ts'
import { LeaseDisk, leaseErrors } from '../src/drive/lease-file.ts'
import { FailingDisk, refuse } from './failing-disk.ts'

const SECONDS = 60
const other = (id: string, more = {}): string => JSON.stringify({ id, host: 'elsewhere', pid: 1, ...more })

/** A disk, the printed messages, and a clock under the control of a test. */
class World {
  readonly disk = new FailingDisk()
  readonly said: Array<string> = []

  run<A, E>(program: Effect.Effect<A, E>): Promise<A> {
    const console: Console.Console = Object.assign(Object.create(globalThis.console), {
      error: (text: string) => void this.said.push(text),
    })
    return Effect.runPromise(
      program.pipe(
        Effect.provideService(LeaseDisk, this.disk.disk),
        Effect.provideService(Console.Console, console),
        Effect.provide(TestClock.layer()),
      ),
    )
  }

  /** Newest file of the lease: its number, the holder's id, and true if the holder gave the lease back. */
  get lease(): { readonly number: number; readonly id: string; readonly ended?: boolean } | undefined {
    const numbers = [...this.disk.files.keys()].map((path) => Number(path.slice('lease/'.length)))
    expect(numbers.every((number) => number > 0)).toBe(true)
    if (numbers.length === 0) return undefined
    const number = Math.max(...numbers)
    return { number, ...JSON.parse(this.disk.files.get(`lease/${number}`)!) }
  }
}

/** Lets the disk answer all pending requests. */
const settle = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Lets seconds pass in steps. Between two steps waiting fibres go on. */
const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let step = 0; step < seconds * 4; step++) {
    yield* settle
    yield* TestClock.adjust('250 millis')
  }
  yield* settle
})

/** Returns the result of a lease's `check`: `held`, `waits`, or the reason of the loss. */
const stateOf = Effect.fnUntraced(function* ({ check }: Lease) {
  const asked = yield* Effect.forkChild(check)
  yield* settle
  const exit = asked.pollUnsafe()
  if (exit === undefined) {
    yield* Fiber.interrupt(asked)
    return 'waits'
  }
  return Exit.isSuccess(exit) ? 'held' : String(Cause.squash(exit.cause))
})

describe('holdLease with several controllers', () => {
  it('a waiting controller that another one outruns waits, and takes the lease when it is free again', async () => {
    const world = new World()
    const { files } = world.disk
    files.set('lease/1', other('first'))
    world.disk.before = (call, path) => {
      // The other waiting controller is quicker.
      if (call === 'link' && path === 'lease/2') files.set('lease/2', other('winner'))
    }
    await world.run(
      Effect.scoped(
        Effect.gen(function* () {
          const standby = yield* Effect.forkScoped(holdLease('lease', SECONDS))
          yield* pass(SECONDS + 6)
          expect(world.lease).toMatchObject({ number: 2, id: 'winner' })
          files.delete('lease/1')
          files.set('lease/3', other('winner', { ended: true }))
          files.delete('lease/2')
          yield* pass(6)
          expect(yield* stateOf(yield* Fiber.join(standby))).toBe('held')
          expect(world.lease!.id).not.toBe('winner')
        }),
      ),
    )
    expect(world.lease!.ended).toBe(true)
  })

  it('a controller that is interrupted, or meets a disk error, while it takes the lease leaves the lease free', async () => {
    for (const what of ['interrupt', 'EIO', 'EACCES']) {
      const world = new World()
      let failures = 0
      let goOn = (): void => {}
      world.disk.before = (call, path) => {
        if (call !== 'link' || failures++ > 0) return
        if (what === 'interrupt') return new Promise<void>((resolve) => (goOn = resolve))
        refuse(what, path)
      }
      await world.run(
        Effect.scoped(
          Effect.gen(function* () {
            const standby = yield* Effect.forkScoped(holdLease('lease', SECONDS))
            yield* pass(4)
            if (what === 'EIO') expect(yield* stateOf(yield* Fiber.join(standby))).toBe('held')
            if (what === 'EACCES') expect((yield* Effect.flip(Fiber.join(standby))).message).toContain('EACCES')
            if (what !== 'interrupt') return
            yield* Fiber.interrupt(standby)
            goOn()
          }),
        ),
      )
      expect(world.lease?.ended ?? true).toBe(true)
    }
  })

  it('one of two waiting controllers takes a free lease, and the other takes the lease afterwards', async () => {
    const world = new World()
    world.disk.files.set('lease/1', other('first'))
    await world.run(
      Effect.gen(function* () {
        const held: Array<string> = []
        const hold = Effect.scoped(
          Effect.gen(function* () {
            yield* holdLease('lease', SECONDS)
            held.push(world.lease!.id)
            yield* Effect.sleep('1 second')
          }),
        )
        const both = yield* Effect.forkChild(Effect.all([hold, hold], { concurrency: 2 }))
        yield* pass(SECONDS + 20)
        yield* Fiber.join(both)
        expect(new Set(held).size).toBe(2)
        expect(world.lease!.ended).toBe(true)
      }),
    )
  })

  it('the lease of a killed controller on another host blocks the lease for the duration of a lease', async () => {
    const world = new World()
    world.disk.files.set('lease/7', other('killed'))
    await world.run(
      Effect.scoped(
        Effect.gen(function* () {
          const standby = yield* Effect.forkScoped(holdLease('lease', SECONDS))
          yield* pass(SECONDS - 2)
          expect(world.said).toEqual(['lease: process 1 on elsewhere holds the lease; waiting for the lease'])
          expect(world.lease).toMatchObject({ number: 7, id: 'killed' })
          yield* pass(10)
          expect(yield* stateOf(yield* Fiber.join(standby))).toBe('held')
        }),
      ),
    )
  })
})

describe('a lease of a controller on a disk that fails', () => {
  const failing = (world: World, code: string): void => {
    world.disk.before = (_, path) => refuse(code, path)
  }

  it('a lease is renewed again after an error of the disk, and the error is printed once and counted', async () => {
    const world = new World()
    await world.run(
      Effect.scoped(
        Effect.gen(function* () {
          const before = (yield* Metric.value(leaseErrors)).count
          const lease = yield* holdLease('lease', SECONDS)
          yield* pass(20)
          failing(world, 'EIO')
          yield* pass(15)
          expect(world.said).toEqual([
            expect.stringMatching(
              /^lease: the lease cannot be read or written: EIO: lease\S+; the request is tried again$/,
            ),
          ])
          expect(lease.diskErrors).toBeGreaterThan(1)
          expect((yield* Metric.value(leaseErrors)).count).toBe(before + lease.diskErrors)
          expect(yield* stateOf(lease)).toBe('held')
          world.disk.before = () => {}
          yield* pass(4)
          expect(world.said.slice(1)).toEqual(['lease: the lease can be read and written again'])
          const { number } = world.lease!
          yield* pass(2 * SECONDS)
          expect(world.lease!.number).toBeGreaterThan(number + 5)
          expect(world.disk.files.size).toBeLessThan(7)
          expect(yield* stateOf(lease)).toBe('held')
        }),
      ),
    )
    expect(world.lease!.ended).toBe(true)
  })

  it.each(['EIO', 'EACCES', 'no answer'])(
    'a lease that cannot be renewed because the disk gives %s is lost before it ends, so that the controller stops deciding',
    async (code) => {
      const world = new World()
      await world.run(
        Effect.gen(function* () {
          const seen = yield* Deferred.make<void>()
          const work = Effect.scoped(
            Effect.gen(function* () {
              const lease = yield* holdLease('lease', SECONDS)
              const lost = yield* Effect.forkChild(lease.lost)
              yield* settle
              if (code === 'no answer') world.disk.before = () => new Promise(() => {})
              else failing(world, code)
              yield* pass(SECONDS / 2)
              expect(yield* stateOf(lease)).toBe('held')
              yield* pass(SECONDS / 6 + 1)
              expect(yield* stateOf(lease)).toBe('waits')
              expect(lost.pollUnsafe()).toBe(undefined)
              yield* pass(SECONDS / 3 - 2)
              expect(lost.pollUnsafe()).not.toBe(undefined)
              const why = code === 'no answer' ? 'the file system does not answer' : code
              expect(yield* stateOf(lease)).toMatch(`the lease could not be renewed for 52.`)
              expect(yield* stateOf(lease)).toMatch(why)
            }).pipe(Effect.ensuring(Deferred.succeed(seen, undefined))),
          )
          const whole = yield* Effect.forkChild(work)
          yield* Deferred.await(seen)
          yield* pass(2)
          // The controller ends even if the disk never answers.
          yield* Fiber.join(whole)
        }),
      )
      expect(world.said.at(-1)).toMatch(/the lease is not given back, and ends by itself/)
    },
  )

  it('a controller that was stopped for a while renews its lease if no other controller has taken the lease', async () => {
    for (const isTaken of [false, true]) {
      const world = new World()
      await world.run(
        Effect.scoped(
          Effect.gen(function* () {
            const lease = yield* holdLease('lease', SECONDS)
            yield* pass(1)
            if (isTaken) world.disk.files.set(`lease/${world.lease!.number + 1}`, other('winner'))
            yield* TestClock.adjust('10 minutes')
            yield* pass(2)
            expect(yield* stateOf(lease)).toMatch(isTaken ? 'another controller has taken the lease' : /^held$/)
          }),
        ),
      )
      expect(world.lease).toMatchObject(isTaken ? { id: 'winner' } : { ended: true })
    }
  })

  it('a lease on a failing disk is not taken; the controller tries again if the error may pass', async () => {
    const world = new World()
    failing(world, 'EROFS')
    const refused = await world.run(Effect.flip(Effect.scoped(holdLease('lease', SECONDS))))
    expect(refused.message).toBe('lease: the lease cannot be read or written: EROFS: lease')
    failing(world, 'ESTALE')
    await world.run(
      Effect.scoped(
        Effect.gen(function* () {
          const taking = yield* Effect.forkScoped(holdLease('lease', SECONDS))
          yield* pass(5)
          expect(world.said).toContain(
            'lease: the lease cannot be read or written: ESTALE: lease; the request is tried again',
          )
          world.disk.before = () => {}
          yield* pass(5)
          expect(yield* stateOf(yield* Fiber.join(taking))).toBe('held')
        }),
      ),
    )
  })
})
