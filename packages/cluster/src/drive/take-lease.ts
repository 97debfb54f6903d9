import { Effect, Schedule } from 'effect'
import { monotonicMilliseconds, Outage, remark } from '../polling.ts'
import {
  checkIsLease,
  type Holder,
  holderOf,
  isGone,
  type LeaseDiskError,
  makeFile,
  mayPass,
  readLease,
  removeFile,
  writeHolder,
} from './lease-file.ts'

export const monotonicSeconds: Effect.Effect<number> = Effect.map(monotonicMilliseconds, (ms) => ms / 1000)

/** Returns delays between requests to a failing disk. @param seconds duration of the lease */
export function retrying(seconds: number): Schedule.Schedule<unknown> {
  return Schedule.min([Schedule.exponential('20 millis'), Schedule.spaced(`${(seconds * 1000) / 20} millis`)])
}

export function diskFailed(outage: Outage, error: LeaseDiskError): Effect.Effect<void> {
  return outage.begin(`${error.message}; the request is tried again`)
}

export function diskWorks(outage: Outage, path: string): Effect.Effect<void> {
  return outage.end(`${path}: the lease can be read and written again`)
}

/** Repeats requests to a disk that fails for a while. @param seconds duration of the lease */
export function untilDiskAnswers<A, E extends { readonly _tag: string }>(
  requests: Effect.Effect<A, E>,
  seconds: number,
  outage: Outage,
): Effect.Effect<A, E> {
  return requests.pipe(
    Effect.tapError((error) => (mayPass(error) ? diskFailed(outage, error) : Effect.void)),
    Effect.retry({ while: mayPass, schedule: retrying(seconds) }),
  )
}

/** Waits until nobody holds a lease, and takes the lease. Requests to a disk that fails for a while are repeated. */
export const takeLease = Effect.fnUntraced(function* (path: string, own: Holder, seconds: number) {
  const outage = new Outage()
  const taking = new Taking(path, own, seconds)
  yield* untilDiskAnswers(checkIsLease(path).pipe(Effect.andThen(taking.untilTaken)), seconds, outage)
  yield* diskWorks(outage, path)
})

/** Text of a file, and the time at which the text was first read, in seconds of the monotonic clock. */
interface Seen {
  readonly text: string
  readonly since: number
}

class Taking {
  readonly #path: string
  readonly #own: Holder
  readonly #seconds: number
  #lease: Seen | undefined
  #guard: Seen | undefined
  #isReported = false

  constructor(path: string, own: Holder, seconds: number) {
    this.#path = path
    this.#own = own
    this.#seconds = seconds
  }

  readonly untilTaken: Effect.Effect<void, LeaseDiskError> = Effect.gen({ self: this }, function* () {
    for (;;) {
      const text = yield* readLease(this.#path)
      // The disk may have written the lease although the request failed.
      if (text !== undefined && holderOf(text).id === this.#own.id) return
      if (yield* this.#isFree(text)) {
        const taken = yield* underGuard(this.#path, this.#own.id, this.#take(text))
        if (taken === true) return
        if (taken === 'guarded') yield* this.#judgeGuard()
      }
      yield* Effect.sleep(`${(this.#seconds * 1000) / 20} millis`)
    }
  })

  /**
   * Returns true if the lease has no file, if its holder was a process on this host and has ended, or if the file
   * stayed unchanged for longer than the duration of a lease.
   */
  readonly #isFree = Effect.fnUntraced(
    function* (this: Taking, text: string | undefined) {
      if (text === undefined) return true
      const holder = holderOf(text)
      if (isGone(holder)) return true
      this.#lease = yield* seenAgain(this.#lease, text)
      if ((yield* monotonicSeconds) - this.#lease.since > this.#seconds) return true
      const { pid, host } = holder
      if (!this.#isReported)
        yield* remark(`${this.#path}: process ${pid} on ${host} holds the lease; waiting for the lease`)
      this.#isReported = true
      return false
    }.bind(this),
  )

  /** Takes a free lease; returns false if another controller was quicker. */
  readonly #take = Effect.fnUntraced(
    function* (this: Taking, seen: string | undefined) {
      if ((yield* readLease(this.#path)) !== seen) return false
      yield* writeHolder(this.#path, this.#own)
      return true
    }.bind(this),
  )

  /** Removes a guard file that stayed unchanged for the duration of a lease: a killed process left this file. */
  readonly #judgeGuard = Effect.fnUntraced(
    function* (this: Taking) {
      const guard = guardOf(this.#path)
      const text = yield* readLease(guard)
      if (text === undefined) return
      this.#guard = yield* seenAgain(this.#guard, text)
      if ((yield* monotonicSeconds) - this.#guard.since > this.#seconds) yield* removeFile(guard)
    }.bind(this),
  )
}

const seenAgain = Effect.fnUntraced(function* (before: Seen | undefined, text: string) {
  return before?.text === text ? before : { text, since: yield* monotonicSeconds }
})

function guardOf(path: string): string {
  return `${path}.takeover`
}

/**
 * Runs `use` while a guard file keeps other controllers from taking the lease; returns `guarded` if another controller
 * has the guard file.
 */
export function underGuard<A, E>(
  path: string,
  id: string,
  use: Effect.Effect<A, E>,
): Effect.Effect<A | 'guarded', E | LeaseDiskError> {
  const guard = guardOf(path)
  const remove = removeFile(guard).pipe(
    Effect.retry({ while: mayPass, schedule: Schedule.exponential('20 millis'), times: 4 }),
    Effect.catch(({ reason }) =>
      remark(`${guard} cannot be removed, and prevents that other controllers take the lease: ${reason}`),
    ),
  )
  return Effect.acquireUseRelease(
    makeFile(guard, id),
    (isMade): Effect.Effect<A | 'guarded', E> => (isMade ? use : Effect.succeed('guarded' as const)),
    (isMade) => (isMade ? remove : Effect.void),
  )
}
