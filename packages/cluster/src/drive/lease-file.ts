import * as fs from 'node:fs/promises'
import { type FileCalls, FileLease, type LeaseOptions, runAsync, type Steps } from '@cloister/file-lease'
import { Clock, Context, Data, Effect, Metric, Schedule } from 'effect'
import { Outage } from '../polling.ts'

/** The path of a lease has a file, or a folder with files, that no controller has written. */
export class LeaseFileError extends Data.TaggedError('LeaseFileError')<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} exists and is not a lease; --lease must name another folder, or a folder that does not exist yet`
  }
}

/** The operating system failed to read, write or remove a file of a lease. */
export class LeaseDiskError extends Data.TaggedError('LeaseDiskError')<{
  readonly path: string
  /** Error code of the operating system: `EIO`, `ESTALE`, … */
  readonly code: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.path}: the lease cannot be read or written: ${this.reason}`
  }
}

/** Codes of disk errors that last until somebody changes a path or a permission. */
const lasting: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'ELOOP',
  'ENAMETOOLONG',
])

export function mayPass(error: { readonly _tag: string }): error is LeaseDiskError {
  return error instanceof LeaseDiskError && !lasting.has(error.code)
}

export const leaseErrors: Metric.Counter<number> = Metric.counter('cloister_drive_lease_errors', {
  description: 'Failed requests to the files of the lease',
})

/** Calls of the file system that a lease needs. A test puts a failing disk in their place. */
export const LeaseDisk: Context.Reference<FileCalls> = Context.Reference<FileCalls>('@cloister/cluster/LeaseDisk', {
  defaultValue: () => fs,
})

/** Files of a lease in a folder, with the disk and the clock of the program. */
export class LeaseFiles {
  readonly path: string
  readonly lease: FileLease
  readonly #outage = new Outage()
  /** Number of failed requests. */
  errors = 0
  /** Last steps of the lease. An interrupt of an effect does not stop the steps. */
  #call: Promise<unknown> = Promise.resolve()

  constructor(options: LeaseOptions) {
    this.path = options.folder
    this.lease = new FileLease(options)
  }

  /** @param path folder of the lease; @param seconds duration of the lease */
  static readonly open = Effect.fnUntraced(function* (path: string, seconds: number) {
    const clock = yield* Clock.Clock
    const calls = yield* LeaseDisk
    return new LeaseFiles({
      folder: path,
      seconds,
      calls,
      clock: () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n) / 1000,
    })
  })

  /** Runs steps of the lease. A failure is counted and ends the steps. */
  run<A>(steps: Steps<A>): Effect.Effect<A, LeaseDiskError> {
    return Effect.tryPromise({
      try: () => {
        const running = runAsync(steps)
        this.#call = running.catch(() => {})
        return running
      },
      catch: (error) => {
        const { code = '', message } = error as NodeJS.ErrnoException
        return new LeaseDiskError({ path: this.path, code, reason: message })
      },
    }).pipe(
      Effect.tapError((error) =>
        Effect.suspend(() => {
          this.errors++
          return Effect.andThen(Metric.update(leaseErrors, 1), mayPass(error) ? this.report(error) : Effect.void)
        }),
      ),
      Effect.tap(this.#outage.end(`${this.path}: the lease can be read and written again`)),
    )
  }

  /** Like `run`, but repeats requests to a disk that fails for a while. */
  runUntilAnswered<A>(steps: () => Steps<A>, seconds: number): Effect.Effect<A, LeaseDiskError> {
    return Effect.suspend(() => this.run(steps())).pipe(Effect.retry({ while: mayPass, schedule: retrying(seconds) }))
  }

  /** Waits until the last steps have ended, also if they were interrupted. */
  readonly settled: Effect.Effect<unknown> = Effect.promise(() => this.#call)

  /** Fails if the folder of the lease is a file, or has files of other programs. */
  checkIsLease(seconds: number): Effect.Effect<void, LeaseDiskError | LeaseFileError> {
    return this.runUntilAnswered(() => this.lease.isForeign(), seconds).pipe(
      Effect.catchIf(
        ({ code }) => code === 'ENOTDIR',
        () => Effect.succeed(true),
      ),
      Effect.flatMap((isForeign) => (isForeign ? Effect.fail(new LeaseFileError({ path: this.path })) : Effect.void)),
    )
  }

  /** Prints a remark on the first of several failures. */
  report(error: LeaseDiskError): Effect.Effect<void> {
    return this.#outage.begin(`${error.message}; the request is tried again`)
  }
}

/** Returns delays between requests to a failing disk. @param seconds duration of the lease */
export function retrying(seconds: number): Schedule.Schedule<unknown> {
  return Schedule.min([Schedule.exponential('20 millis'), Schedule.spaced(`${(seconds * 1000) / 20} millis`)])
}
