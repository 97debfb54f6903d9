import { Cause, Console, Deferred, Effect, Exit, Fiber, Metric } from 'effect'
import { TestClock } from 'effect/testing'
import { describe, expect, it } from 'vitest'
import { holdLease, type Lease } from '../src/drive/lease.ts'
import { LeaseDisk, leaseErrors } from '../src/drive/lease-file.ts'
import { FailingDisk, refuse } from './failing-disk.ts'

const SECONDS = 60
const other = (id: string, renewed = 0): string => JSON.stringify({ id, host: 'elsewhere', pid: 1, renewed })

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

  get lease(): { readonly id: string; readonly renewed: number } {
    return JSON.parse(this.disk.files.get('lease')!)
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
  it('a waiting controller that another one outruns leaves no guard file, and takes the lease when it is free again', async () => {
    const world = new World()
    const { files } = world.disk
    files.set('lease', other('first'))
    let isWon = false
    world.disk.before = (call, path) => {
      // The other waiting controller is quicker, and has the lease when this controller makes the guard file.
      if (isWon || call !== 'writeFile' || path !== 'lease.takeover') return
      isWon = true
      files.set('lease', other('winner'))
    }
    await world.run(
      Effect.scoped(
        Effect.gen(function* () {
          const standby = yield* Effect.forkScoped(holdLease('lease', SECONDS))
          yield* pass(SECONDS + 6)
          expect(isWon).toBe(true)
          expect([...files]).toEqual([['lease', other('winner')]])
          files.delete('lease')
          yield* pass(6)
          expect(yield* stateOf(yield* Fiber.join(standby))).toBe('held')
          expect([...files.keys()]).toEqual(['lease'])
        }),
      ),
    )
    expect([...files]).toEqual([])
  })

  it('a controller that is interrupted, or meets a disk error, while it takes the lease leaves no guard file', async () => {
    for (const what of ['interrupt', 'EIO', 'EACCES']) {
      const world = new World()
      const { files } = world.disk
      let isGuarded = false
      let failures = 0
      world.disk.before = (call, path) => {
        isGuarded ||= path === 'lease.takeover'
        if (!isGuarded || call !== 'rename') return
        if (what === 'interrupt') return new Promise<void>(() => {})
        if (failures++ === 0) refuse(what, path)
      }
      await world.run(
        Effect.scoped(
          Effect.gen(function* () {
            const standby = yield* Effect.forkScoped(holdLease('lease', SECONDS))
            yield* pass(4)
            if (what === 'EIO') expect(yield* stateOf(yield* Fiber.join(standby))).toBe('held')
            if (what === 'EACCES') expect((yield* Effect.flip(Fiber.join(standby))).message).toContain('EACCES')
            if (what === 'interrupt') yield* Fiber.interrupt(standby)
            expect(files.has('lease.takeover')).toBe(false)
            world.disk.before = () => {}
            if (what === 'interrupt') yield* Effect.forkChild(pass(3))
          }),
        ),
      )
      expect(files.has('lease')).toBe(false)
    }
  })

  it('one of two waiting controllers takes a free lease, and the other takes the lease afterwards', async () => {
    const world = new World()
    world.disk.files.set('lease', other('first'))
    await world.run(
      Effect.gen(function* () {
        const held: Array<string> = []
        const hold = Effect.scoped(
          Effect.gen(function* () {
            yield* holdLease('lease', SECONDS)
            held.push(world.lease.id)
            yield* Effect.sleep('1 second')
          }),
        )
        const both = yield* Effect.forkChild(Effect.all([hold, hold], { concurrency: 2 }))
        yield* pass(SECONDS + 20)
        yield* Fiber.join(both)
        expect(new Set(held).size).toBe(2)
        expect([...world.disk.files]).toEqual([])
      }),
    )
  })

  it('a guard file of a killed controller blocks the lease for the duration of a lease', async () => {
    const world = new World()
    world.disk.files.set('lease.takeover', 'killed')
    await world.run(
      Effect.scoped(
        Effect.gen(function* () {
          const standby = yield* Effect.forkScoped(holdLease('lease', SECONDS))
          yield* pass(SECONDS - 2)
          expect([...world.disk.files.keys()]).toEqual(['lease.takeover'])
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
            'lease: the lease cannot be read or written: EIO: lease; the request is tried again',
          ])
          expect(lease.diskErrors).toBeGreaterThan(1)
          expect((yield* Metric.value(leaseErrors)).count).toBe(before + lease.diskErrors)
          expect(yield* stateOf(lease)).toBe('held')
          world.disk.before = () => {}
          yield* pass(4)
          expect(world.said.slice(1)).toEqual(['lease: the lease can be read and written again'])
          const { renewed } = world.lease
          yield* pass(2 * SECONDS)
          expect(world.lease.renewed).toBeGreaterThan(renewed + 5)
          expect(yield* stateOf(lease)).toBe('held')
        }),
      ),
    )
    expect([...world.disk.files]).toEqual([])
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
            if (isTaken) world.disk.files.set('lease', other('winner'))
            yield* TestClock.adjust('10 minutes')
            yield* pass(2)
            expect(yield* stateOf(lease)).toMatch(isTaken ? 'another controller has taken the lease' : /^held$/)
          }),
        ),
      )
      expect([...world.disk.files]).toEqual(isTaken ? [['lease', other('winner')]] : [])
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
