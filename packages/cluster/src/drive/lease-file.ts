import * as fs from 'node:fs/promises'
import { hostname } from 'node:os'
import { Context, Data, Effect, Metric } from 'effect'

/** The path of a lease has a file that no controller has written. Controllers do not overwrite such a file. */
export class LeaseFileError extends Data.TaggedError('LeaseFileError')<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} exists and is not a lease; --lease must name another file, or a file that does not exist yet`
  }
}

/** The operating system failed to read, write or remove the file of a lease. */
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
  description: 'Failed requests to the file of a lease',
})

/** Calls of the file system that a lease needs. A test puts a failing disk in their place. */
export const LeaseDisk: Context.Reference<Disk> = Context.Reference<Disk>('@cloister/cluster/LeaseDisk', {
  defaultValue: () => fs,
})

type Disk = Pick<typeof fs, 'readFile' | 'writeFile' | 'rename' | 'rm'>

/** Sends a request to the disk, and counts a failure. @param answers results in place of errors, by error code */
function ask<A, B = never>(
  path: string,
  request: (disk: Disk) => Promise<A>,
  answers: Readonly<Record<string, B>> = {},
): Effect.Effect<A | B, LeaseDiskError> {
  return Effect.flatMap(LeaseDisk, (disk) =>
    Effect.tryPromise({ try: () => request(disk), catch: (error) => diskError(path, error) }),
  ).pipe(
    Effect.catch((error): Effect.Effect<B, LeaseDiskError> =>
      Object.hasOwn(answers, error.code)
        ? Effect.succeed(answers[error.code])
        : Metric.update(leaseErrors, 1).pipe(Effect.andThen(Effect.fail(error))),
    ),
  )
}

function diskError(path: string, error: unknown): LeaseDiskError {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new LeaseDiskError({ path, code, reason: message })
}

/** Holder of a lease, as written in the file of the lease. */
export interface Holder {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly renewed: number
}

/** Returns the text in the file of a lease; undefined if there is no file. */
export function readLease(path: string): Effect.Effect<string | undefined, LeaseDiskError> {
  return ask(path, (disk) => disk.readFile(path, 'utf8'), { ENOENT: undefined })
}

/** Returns the holder in the text of a lease. Any other text counts as a holder that never renews. */
export function holderOf(text: string): Holder {
  return holderIn(text) ?? { id: text.slice(0, 60), host: '', pid: 0, renewed: 0 }
}

function holderIn(text: string): Holder | undefined {
  try {
    const { id, host, pid, renewed } = JSON.parse(text)
    if (typeof id === 'string' && Number.isInteger(pid))
      return { id, host: String(host), pid, renewed: Number(renewed) }
  } catch {
    // The text of the file is not a lease, or was cut off.
  }
  return undefined
}

/** Writes of leases that are under way, by the holder's id. An interrupt of `writeHolder` does not stop the write. */
const writes = new Map<string, Promise<void>>()

/** Replaces the file of a lease by a single rename. */
export function writeHolder(path: string, holder: Holder): Effect.Effect<void, LeaseDiskError> {
  return ask(path, (disk) => {
    const write = replaceFile(disk, path, holder)
    const settled = write.catch(() => {}).then(() => void writes.delete(holder.id))
    writes.set(holder.id, settled)
    return write
  })
}

async function replaceFile(disk: Disk, path: string, holder: Holder): Promise<void> {
  const temporary = `${path}.${holder.id}`
  try {
    await disk.writeFile(temporary, JSON.stringify(holder))
    await disk.rename(temporary, path)
  } catch (error) {
    await disk.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

export function awaitWrite(id: string): Effect.Effect<void> {
  return Effect.promise(() => writes.get(id) ?? Promise.resolve())
}

export function removeFile(path: string): Effect.Effect<void, LeaseDiskError> {
  return ask(path, (disk) => disk.rm(path, { force: true }))
}

/** Makes a new file and returns true; returns false if the file already exists. */
export function makeFile(path: string, text: string): Effect.Effect<boolean, LeaseDiskError> {
  const make = async (disk: Disk): Promise<boolean> => {
    await disk.writeFile(path, text, { flag: 'wx' })
    return true
  }
  return ask(path, make, { EEXIST: false })
}

export const checkIsLease = Effect.fnUntraced(function* (path: string) {
  const text = yield* readLease(path)
  if (text !== undefined && holderIn(text) === undefined && !isCutOff(text)) return yield* new LeaseFileError({ path })
})

const BEGINNING = '{"id":"'

/** Returns true if a crash of a host may have cut off a lease to this text: nothing, zeros, or a lease's beginning. */
function isCutOff(text: string): boolean {
  const left = text.replace(/\0+$/, '')
  return left.length < 1000 && (left.startsWith(BEGINNING) || BEGINNING.startsWith(left))
}

/** Returns true if the process that holds the lease ran on this host and has ended. */
export function isGone({ host, pid }: Holder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
