import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { randomUUID } from 'node:crypto'
import { Clock, Console, Data, Effect, Schedule } from 'effect'

/** Somebody else holds the lease, or it could not be kept up: nothing may be done any more. */
export class LeaseLostError extends Data.TaggedError('LeaseLostError')<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.path}: ${this.reason}; nothing is done without it`
  }
}

/** A file that is there, and that no controller has written: it is not overwritten. */
export class LeaseFileError extends Data.TaggedError('LeaseFileError')<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} is there, and holds no lease; --lease names another file, or one that is not there yet`
  }
}

/** Who holds a lease, as its file has it. */
interface Holder {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Counts renewals. */
  readonly renewed: number
}

/** The right to act, of one controller at a time. */
export interface Lease {
  /** Fails where it is not held for sure. */
  readonly check: Effect.Effect<void, LeaseLostError>
}

/**
 * Takes a lease as soon as nobody holds it, and renews it in the background until the scope is closed. Clocks of hosts are not compared:
 * who waits sees whether the file changes within the time that a lease lasts, by a clock that no one sets. Who does not get to renew it
 * stops to act well before.
 *
 * @param path of a file on a file system that all hosts share from which a controller may run
 * @param seconds how long a lease lasts without being renewed
 */
export const holdLease = Effect.fnUntraced(function* (path: string, seconds: number) {
  yield* checkIsLease(path)
  const own: Holder = { id: randomUUID(), host: hostname(), pid: process.pid, renewed: 0 }
  yield* awaitFree(path, seconds)
  yield* take(path, own)
  const state = { renewed: 0, at: yield* monotonicSeconds, lost: undefined as LeaseLostError | undefined }
  const renew = Effect.gen(function* () {
    const before = yield* monotonicSeconds
    const found = readHolder(path)
    if (found === undefined || found.id !== own.id)
      state.lost = new LeaseLostError({ path, reason: 'another controller has taken the lease' })
    else {
      writeHolder(path, { ...own, renewed: ++state.renewed })
      state.at = before
    }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => giveBack(path, own)))
  yield* renew.pipe(Effect.repeat(Schedule.spaced(`${(seconds * 1000) / 5} millis`)), Effect.forkScoped)
  const lost = Effect.suspend(() => (state.lost === undefined ? Effect.void : Effect.fail(state.lost)))
  const check = Effect.gen(function* () {
    yield* lost
    if ((yield* monotonicSeconds) - state.at < (seconds * 2) / 3) return
    // The process stood still, or the file system did.
    yield* renew
    yield* lost
  })
  return { check } satisfies Lease
})

/** By a clock that only goes on. */
const monotonicSeconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n) / 1000)

/** Until nobody holds it: there is none, its process is gone from this host, or it was not renewed for as long as it lasts. */
const awaitFree = Effect.fnUntraced(function* (path: string, seconds: number) {
  let seen: string | undefined
  let since = yield* monotonicSeconds
  let isTold = false
  for (;;) {
    const holder = readHolder(path)
    if (holder === undefined || isGone(holder)) return
    const text = JSON.stringify(holder)
    const now = yield* monotonicSeconds
    if (text !== seen) {
      seen = text
      since = now
    } else if (now - since > seconds) return
    if (!isTold)
      yield* Console.error(`${path}: process ${holder.pid} on ${holder.host} holds the lease; waiting for it`)
    isTold = true
    yield* Effect.sleep(`${(seconds * 1000) / 20} millis`)
  }
})

/** Of several that see it free one gets it. */
const take = Effect.fnUntraced(function* (path: string, own: Holder) {
  const guard = `${path}.takeover`
  const before = JSON.stringify(readHolder(path))
  if (!makeFile(guard))
    return yield* new LeaseLostError({
      path,
      reason: `another controller takes the lease now; if none does, delete ${guard}`,
    })
  try {
    if (JSON.stringify(readHolder(path)) !== before)
      return yield* new LeaseLostError({ path, reason: 'another controller has just taken the lease' })
    writeHolder(path, own)
  } finally {
    rmSync(guard, { force: true })
  }
})

/** Whether a file could be made that was not there; one that was left for a minute is nobody's. */
function makeFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity }
    if (Date.now() - mtimeMs > 60_000) rmSync(path, { force: true })
    return false
  }
}

function giveBack(path: string, own: Holder): void {
  if (readHolder(path)?.id === own.id) rmSync(path, { force: true })
}

/** Fails where the file of a lease holds something else. */
export const checkIsLease = Effect.fnUntraced(function* (path: string) {
  const text = readIfThere(path)
  if (text !== undefined && holderIn(text) === undefined && !isCutOff(text)) return yield* new LeaseFileError({ path })
})

/** By a crash of its host: what is left of a file that was never whole is empty, zeros, or its beginning. */
function isCutOff(text: string): boolean {
  const left = text.replace(/\0+$/, '')
  return left.length < 1000 && (left.startsWith(BEGINNING) || BEGINNING.startsWith(left))
}

const BEGINNING = '{"id":"'

/** Undefined where nobody holds it. What is no lease counts as one that is not renewed. */
export function readHolder(path: string): Holder | undefined {
  const text = readIfThere(path)
  if (text === undefined) return undefined
  return holderIn(text) ?? { id: text.slice(0, 60), host: '', pid: 0, renewed: 0 }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function holderIn(text: string): Holder | undefined {
  try {
    const { id, host, pid, renewed } = JSON.parse(text)
    if (typeof id === 'string' && Number.isInteger(pid))
      return { id, host: String(host), pid, renewed: Number(renewed) }
  } catch {
    // None, or one that was cut off.
  }
  return undefined
}

function writeHolder(path: string, holder: Holder): void {
  const temporary = `${path}.${holder.id}`
  writeFileSync(temporary, JSON.stringify(holder))
  renameSync(temporary, path)
}

function isGone({ host, pid }: Holder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
