import { Data, Deferred, Effect, Schedule } from 'effect'
import { remark } from '../polling.ts'
import { LeaseDiskError, LeaseFiles, mayPass, retrying } from './lease-file.ts'

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

/** Time between two renewals, as a share of the duration of a lease. */
const RENEW = 1 / 5
/** Least time to renew a late lease before the lease is given up, in seconds. */
const LEAST_SECONDS = 1

/**
 * Takes a lease as soon as the lease is free, and renews the lease in the background until the scope is closed. A
 * controller whose renewals fail stops before its lease ends.
 *
 * @param path folder on a file system that all controllers' hosts share
 * @param seconds time after which a lease without renewals ends
 */
export const holdLease = Effect.fnUntraced(function* (path: string, seconds: number) {
  const files = yield* LeaseFiles.open(path, seconds)
  yield* files.checkIsLease(seconds)
  // The finaliser is added before the lease is taken, and does nothing unless the lease is taken.
  yield* Effect.addFinalizer(() => giveBack(files))
  yield* takeLease(files, seconds)
  const lease = new Lease(files, seconds)
  yield* Effect.forkScoped(lease.renewing)
  yield* Effect.forkScoped(lease.watching)
  return lease
})

/** Waits until nobody holds a lease, and takes the lease. Requests to a disk that fails for a while are repeated. */
const takeLease = Effect.fnUntraced(function* (files: LeaseFiles, seconds: number) {
  for (let isReported = false; ;) {
    const { isTaken, by } = yield* files.runUntilAnswered(() => files.lease.take(), seconds)
    if (isTaken) return
    if (!isReported && by !== undefined)
      yield* remark(`${files.path}: process ${by.pid} on ${by.host} holds the lease; waiting for the lease`)
    isReported ||= by !== undefined
    yield* Effect.sleep(`${(seconds * 1000) / 20} millis`)
  }
})

/** Right to change Slurm's jobs, held by one controller at a time. */
export class Lease {
  readonly #files: LeaseFiles
  readonly #seconds: number
  readonly #lost = Deferred.makeUnsafe<never, LeaseLostError>()
  #lastError: LeaseDiskError | undefined

  constructor(files: LeaseFiles, seconds: number) {
    this.#files = files
    this.#seconds = seconds
  }

  /** Number of failed requests to the files of the lease. */
  get diskErrors(): number {
    return this.#files.errors
  }

  get state(): 'held' | 'late' | 'lost' {
    if (Deferred.isDoneUnsafe(this.#lost)) return 'lost'
    return this.#files.lease.isHeld ? 'held' : 'late'
  }

  /** Effect that fails when the lease is lost, and never succeeds. */
  readonly lost: Effect.Effect<never, LeaseLostError> = Effect.suspend(() => Deferred.await(this.#lost))

  /**
   * Succeeds while the controller surely holds the lease; waits while the renewal is late; fails if the lease is lost.
   */
  readonly check: Effect.Effect<void, LeaseLostError> = Effect.gen({ self: this }, function* () {
    while (!Deferred.isDoneUnsafe(this.#lost)) {
      if (this.#files.lease.isHeld) return
      yield* Effect.sleep(`${(this.#seconds * 1000) / 100} millis`)
    }
    return yield* this.lost
  })

  readonly renewing: Effect.Effect<void> = Effect.suspend(() =>
    Effect.suspend(() => this.#files.run(this.#files.lease.renew())).pipe(
      Effect.tapError((error) => {
        this.#lastError = error
        return this.#files.report(error)
      }),
      Effect.retry({ schedule: retrying(this.#seconds) }),
      Effect.flatMap((isRenewed) =>
        isRenewed
          ? Effect.sync(() => void (this.#lastError = undefined))
          : this.#lose('another controller has taken the lease'),
      ),
      Effect.repeat({
        while: () => !Deferred.isDoneUnsafe(this.#lost),
        schedule: Schedule.spaced(`${this.#seconds * RENEW * 1000} millis`),
      }),
      Effect.ignore,
    ),
  )

  /** Gives up a lease that stays late. A process that was stopped for a while has a moment to renew the lease first. */
  readonly watching: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { lease } = this.#files
    for (;;) {
      yield* Effect.sleep(`${lease.left * 1000 + 1} millis`)
      if (lease.isHeld) continue
      yield* Effect.sleep(`${Math.max(LEAST_SECONDS, this.#seconds * RENEW) * 1000} millis`)
      if (lease.isHeld) continue
      const why = this.#lastError === undefined ? 'the file system does not answer' : this.#lastError.reason
      return yield* this.#lose(
        `the lease could not be renewed for ${lease.age.toFixed(1)} s of ${this.#seconds} s: ${why}`,
      )
    }
  })

  #lose(reason: string): Effect.Effect<void> {
    return Effect.asVoid(Deferred.fail(this.#lost, new LeaseLostError({ path: this.#files.path, reason })))
  }
}

/** Gives back a lease that the controller still holds. Waits at most one second for the file system. */
const giveBack = Effect.fnUntraced(function* (files: LeaseFiles) {
  const tried = Effect.andThen(
    files.settled,
    Effect.suspend(() => files.run(files.lease.release())),
  ).pipe(
    Effect.retry({ while: mayPass, schedule: Schedule.exponential('20 millis'), times: 4 }),
    Effect.catch(({ reason }) => notGivenBack(files.path, reason)),
  )
  const given = Effect.as(Effect.sleep(`${GIVE_BACK_SECONDS} seconds`), 'the file system does not answer')
  // Effect does not interrupt finalisers by default.
  yield* Effect.raceFirst(
    Effect.interruptible(tried),
    Effect.interruptible(Effect.flatMap(given, (reason) => notGivenBack(files.path, reason))),
  )
})

/** Time in seconds for the end of a lease: a controller that is told to end has 2 s for everything. */
const GIVE_BACK_SECONDS = 1

function notGivenBack(path: string, reason: string): Effect.Effect<void> {
  return remark(`${path}: the lease is not given back, and ends by itself: ${reason}`)
}
