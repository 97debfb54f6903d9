import { closeSync, openSync, readFileSync, realpathSync, rmSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { attempt, LogFileError, refused } from './file-error.ts'
import { readSmallFile } from './regular-file.ts'

/** Most bytes of a lock file. A larger file names no process. */
const MAX_LOCK = 4096
/** Milliseconds that another process has to take over a lock. A takeover reads one file and makes one file. */
const TAKEOVER = 2000

/** Lock that keeps other writers away from a log until the release. */
export interface WriterLock {
  release(): void
}

/** Process that writes the log, as the lock file names the process. */
interface Owner {
  readonly host: string
  readonly pid: number
  /**
   * Start of the process, as the operating system counts time: a later process with the same pid has another start.
   * Absent if unknown.
   */
  readonly started?: string
}

/**
 * Locks a log for one writer at a time, by a file `LOG.lock` beside the log that names the writer's process. The lock
 * of a dead process is taken over. A pipe or a device needs no lock: nothing in it can be overwritten. A log with
 * several hard links is refused, because another process could write the log under a name that cannot be found.
 *
 * @throws LogFileError `locked` if another process writes this log, or may write this log
 */
export function lockForWriting(path: string): WriterLock {
  const log = realPath(path)
  const there = attempt('write', path, () => statSync(log, { throwIfNoEntry: false }))
  if (there?.isFile() === true && there.nlink > 1)
    throw locked(
      path,
      `it has ${there.nlink} names (hard links), under each of which it would change; a copy has one name`,
    )
  const lock = `${log}.lock`
  const owner: Owner = { host: hostname(), pid: process.pid, ...startOf(process.pid) }
  if (!create(lock, path, owner)) takeOver(lock, path, owner)
  return { release: () => rmSync(lock, { force: true }) }
}

/** Returns true if a process that may still run writes the log, as far as the lock tells. */
export function isBeingWritten(path: string): boolean {
  const owner = read(`${realPath(path)}.lock`)
  return owner !== 'gone' && (owner === undefined || mayRun(owner))
}

/** Returns true if a path leads to a pipe, a terminal or a device, which hold no bytes of their own. */
export function isStream(path: string): boolean {
  const found = attempt('read', path, () => statSync(path, { throwIfNoEntry: false }))
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Returns the real path: two names of one file have one lock. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Makes a lock file. Returns false if there is a lock already. */
function create(lock: string, path: string, owner: Owner): boolean {
  let file: number
  try {
    file = openSync(lock, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw refused('write', path, error as NodeJS.ErrnoException)
  }
  try {
    writeOwner(file, path, owner)
  } catch (error) {
    rmSync(lock, { force: true })
    throw error
  }
  return true
}

function writeOwner(file: number, path: string, owner: Owner): void {
  try {
    attempt('write', path, () => writeSync(file, JSON.stringify(owner)))
  } finally {
    attempt('write', path, () => closeSync(file))
  }
}

/**
 * Takes over the lock of a dead process. Only the holder of `LOG.lock.takeover` may remove a lock: if two processes
 * find a dead lock, the slower would otherwise remove the lock of the faster.
 */
function takeOver(lock: string, path: string, owner: Owner): void {
  const guard = `${lock}.takeover`
  for (let waited = 0; !create(guard, path, owner); waited += 10) {
    if (waited >= TAKEOVER) throw locked(path, `another process is about to write it; if none is, delete ${guard}`)
    pause(10)
  }
  try {
    const other = read(lock)
    if (other !== 'gone') {
      if (other === undefined || mayRun(other)) throw writtenBy(other, lock, path)
      rmSync(lock, { force: true })
    }
    // A process that comes now can make the missing lock without the guard.
    if (!create(lock, path, owner)) throw writtenBy(read(lock), lock, path)
  } finally {
    rmSync(guard, { force: true })
  }
}

/** Waits synchronously, like the calls of the file system: opening a log is one synchronous call. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function read(lock: string): Owner | 'gone' | undefined {
  try {
    const { host, pid, started }: Partial<Record<keyof Owner, unknown>> = JSON.parse(
      Buffer.from(readSmallFile(lock, MAX_LOCK)).toString(),
    )
    if (typeof host !== 'string' || !Number.isSafeInteger(pid) || (pid as number) < 1) return undefined
    return { host, pid: pid as number, ...(typeof started === 'string' ? { started } : {}) }
  } catch (error) {
    return (error as LogFileError).code === 'ENOENT' ? 'gone' : undefined
  }
}

/** Returns false only if the process is surely dead. A process on another host may run. */
function mayRun({ host, pid, started }: Owner): boolean {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  const now = startOf(pid).started
  return started === undefined || now === undefined || started === now
}

/**
 * Returns the start of a process: field 22 of /proc/PID/stat, and the boot that the count begins with. Fields are
 * counted after the command's name, which may hold blanks.
 */
function startOf(pid: number): { readonly started?: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return { started: `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${ticks}` }
  } catch {
    return {}
  }
}

function writtenBy(owner: Owner | 'gone' | undefined, lock: string, path: string): LogFileError {
  const who =
    owner === undefined || owner === 'gone'
      ? 'another process'
      : `process ${owner.pid}${owner.host === hostname() ? '' : ` on ${owner.host}`}`
  return locked(path, `${who} writes it; if that is not so, delete ${lock}`)
}

function locked(path: string, reason: string): LogFileError {
  return new LogFileError(path, 'locked', `cannot write ${path}: ${reason}`)
}
