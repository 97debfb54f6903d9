import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Data, Deferred, Effect, Schedule } from 'effect'
import { Outage, remark } from '../polling.ts'
import {
  awaitWrite,
  type Holder,
  holderOf,
  LeaseDiskError,
  mayPass,
  readLease,
  removeFile,
  writeHolder,
} from './lease-file.ts'
import { diskFailed, diskWorks, monotonicSeconds, retrying, takeLease, underGuard } from './take-lease.ts'

/**
 * Another controller holds the lease, or the lease could not be renewed: the controller may change nothing any more.
 */
export class LeaseLostError extends Data.TaggedError('LeaseLostError')<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.path}: ${this.reason}; nothing is done without the lease`
  }
}

/**
 * Time since the last renewal after which a lease is late, as a share of the lease's duration. The controller does
 * nothing until a late lease is renewed.
 */
const LATE = 2 / 3
/** Time between two renewals, as a share of the duration of a lease. */
const RENEW = 1 / 5
/** Least time to renew a late lease before the lease is given up, in seconds. */
const LEAST_SECONDS = 1

/**
 * Takes a lease as soon as the lease is free, and renews the lease in the background until the scope is closed. A
 * waiting controller measures by its own monotonic clock how long the file of the lease stays unchanged, so that the
 * clocks of hosts need not agree. A controller whose renewals fail stops before its lease ends.
 *
 * @param path file on a file system that all controllers' hosts share
 * @param seconds time after which a lease without renewals ends
 */
export const holdLease = Effect.fnUntraced(function* (path: string, seconds: number) {
  const own: Holder = { id: randomUUID(), host: hostname(), pid: process.pid, renewed: 0 }
  // The finaliser is added before the lease is taken, and does nothing unless the lease is taken.
  yield* Effect.addFinalizer(() => giveBack(path, own))
  yield* takeLease(path, own, seconds)
  const lease = new Lease(path, own, seconds, yield* monotonicSeconds)
  yield* Effect.forkScoped(lease.renewing)
  yield* Effect.forkScoped(lease.watching)
  return lease
})

/** Right to change Slurm's jobs, held by one controller at a time. */
export class Lease {
  /** Number of failed requests to the file of the lease. */
  diskErrors = 0
  readonly #path: string
  readonly #own: Holder
  readonly #seconds: number
  readonly #lost = Deferred.makeUnsafe<never, LeaseLostError>()
  readonly #outage = new Outage()
  #renewed = 0
  /** Start of the last successful renewal, in seconds of the monotonic clock. */
  #at: number
  #lastError: LeaseDiskError | undefined

  constructor(path: string, own: Holder, seconds: number, at: number) {
    this.#path = path
    this.#own = own
    this.#seconds = seconds
    this.#at = at
  }

  /** Effect that fails when the lease is lost, and never succeeds. */
  readonly lost: Effect.Effect<never, LeaseLostError> = Effect.suspend(() => Deferred.await(this.#lost))

  /**
   * Succeeds while the controller surely holds the lease; waits while the renewal is late; fails if the lease is lost.
   */
  readonly check: Effect.Effect<void, LeaseLostError> = Effect.gen({ self: this }, function* () {
    while (yield* this.#isLate()) {
      if (Deferred.isDoneUnsafe(this.#lost)) break
      yield* Effect.sleep(`${(this.#seconds * 1000) / 100} millis`)
    }
    if (Deferred.isDoneUnsafe(this.#lost)) yield* this.lost
  })

  readonly renewing: Effect.Effect<void> = Effect.suspend(() =>
    this.#renew().pipe(
      Effect.tapError((error) => (error instanceof LeaseDiskError ? this.#failed(error) : Effect.void)),
      Effect.retry({ while: (error) => error instanceof LeaseDiskError, schedule: retrying(this.#seconds) }),
      Effect.andThen(diskWorks(this.#outage, this.#path)),
      Effect.repeat(Schedule.spaced(`${this.#seconds * RENEW * 1000} millis`)),
      Effect.catchTag('LeaseLostError', (error) => Deferred.fail(this.#lost, error)),
      Effect.ignore,
    ),
  )

  /** Gives up a lease that stays late. A process that was stopped for a while has a moment to renew the lease first. */
  readonly watching: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    for (;;) {
      const left = this.#at + this.#seconds * LATE - (yield* monotonicSeconds)
      yield* Effect.sleep(`${Math.max(0, left) * 1000 + 1} millis`)
      if (!(yield* this.#isLate())) continue
      yield* Effect.sleep(`${Math.max(LEAST_SECONDS, this.#seconds * RENEW) * 1000} millis`)
      if (!(yield* this.#isLate())) continue
      const age = (yield* monotonicSeconds) - this.#at
      const why = this.#lastError === undefined ? 'the file system does not answer' : this.#lastError.reason
      const reason = `the lease could not be renewed for ${age.toFixed(1)} s of ${this.#seconds} s: ${why}`
      yield* Deferred.fail(this.#lost, new LeaseLostError({ path: this.#path, reason }))
      return
    }
  })

  readonly #isLate = (): Effect.Effect<boolean> =>
    Effect.map(monotonicSeconds, (now) => now - this.#at >= this.#seconds * LATE)

  readonly #renew = Effect.fnUntraced(
    function* (this: Lease) {
      const before = yield* monotonicSeconds
      // Another controller that waits may be about to take a late lease.
      const isLate = yield* this.#isLate()
      const done = yield* isLate ? underGuard(this.#path, this.#own.id, this.#write()) : this.#write()
      if (done === 'guarded') return yield* this.#taken('another controller takes the lease now')
      this.#at = before
      this.#lastError = undefined
    }.bind(this),
  )

  readonly #write = Effect.fnUntraced(
    function* (this: Lease) {
      const text = yield* readLease(this.#path)
      if (text === undefined || holderOf(text).id !== this.#own.id)
        return yield* this.#taken('another controller has taken the lease')
      yield* writeHolder(this.#path, { ...this.#own, renewed: ++this.#renewed })
    }.bind(this),
  )

  #taken(reason: string): LeaseLostError {
    return new LeaseLostError({ path: this.#path, reason })
  }

  #failed(error: LeaseDiskError): Effect.Effect<void> {
    this.diskErrors++
    this.#lastError = error
    return diskFailed(this.#outage, error)
  }
}

/** Removes the file of a lease that the controller still holds. Waits at most one second for the file system. */
const giveBack = Effect.fnUntraced(function* (path: string, own: Holder) {
  const remove = Effect.gen(function* () {
    yield* awaitWrite(own.id)
    const text = yield* readLease(path)
    if (text !== undefined && holderOf(text).id === own.id) yield* removeFile(path)
  })
  const tried = remove.pipe(
    Effect.retry({ while: mayPass, schedule: Schedule.exponential('20 millis'), times: 4 }),
    Effect.catch(({ reason }) => notGivenBack(path, reason)),
  )
  const given = Effect.as(Effect.sleep(`${GIVE_BACK_SECONDS} seconds`), 'the file system does not answer')
  // Effect does not interrupt finalisers by default.
  yield* Effect.raceFirst(
    Effect.interruptible(tried),
    Effect.interruptible(Effect.flatMap(given, (reason) => notGivenBack(path, reason))),
  )
})

/** Time in seconds for the removal of a lease: a controller that is told to end has 2 s for everything. */
const GIVE_BACK_SECONDS = 1

function notGivenBack(path: string, reason: string): Effect.Effect<void> {
  return remark(`${path}: the lease is not given back, and ends by itself: ${reason}`)
}
