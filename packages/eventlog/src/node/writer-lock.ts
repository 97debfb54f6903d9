import { closeSync, openSync, readFileSync, realpathSync, rmSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { attempt, LogFileError, refused } from './file-error.ts'
import { readSmallFile } from './regular-file.ts'

/** Bytes of a lock file: what holds more is none. */
const MAX_LOCK = 4096
/** Milliseconds that another process has to take over a lock: it reads one file and makes one. */
const TAKEOVER = 2000

/** Keeps other writers away from a log until it is released. */
export interface WriterLock {
  release(): void
}

/** Who writes, as the lock file has it. */
interface Owner {
  readonly host: string
  readonly pid: number
  /** When the process started, in the kernel's own count: a later process with the same pid is another one. Absent where it cannot be known. */
  readonly started?: string
}

/**
 * Lets one writer at a time have a log, by a file `LOG.lock` beside it that names the writer's process. A lock whose process
 * is gone is taken over. What is no regular file (a pipe, a device) needs no lock: nothing in it can be overwritten. A file
 * with hard links has names that cannot be found, under which another could write it.
 *
 * @throws LogFileError `locked` where another process writes this log, or may do so
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

/** Whether a process that may still run writes a log, as far as its lock tells. */
export function isBeingWritten(path: string): boolean {
  const owner = read(`${realPath(path)}.lock`)
  return owner !== 'gone' && (owner === undefined || mayRun(owner))
}

/** Whether a path leads to something that holds no bytes of its own: a pipe, a terminal, a device. */
export function isStream(path: string): boolean {
  const found = attempt('read', path, () => statSync(path, { throwIfNoEntry: false }))
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Two names of one file have one lock. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Returns false where there is a lock already. */
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
 * Only who holds `LOG.lock.takeover` may remove a lock: of two that find it stale, the slower would otherwise remove the
 * lock of the faster.
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
    // Who comes now needs no guard to make a lock where none is.
    if (!create(lock, path, owner)) throw writtenBy(read(lock), lock, path)
  } finally {
    rmSync(guard, { force: true })
  }
}

/** Waits as the calls of the file system do: a log is opened in one go. */
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

/** Only what surely runs no more is taken for dead: not what another host runs. */
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

/** Field 22 of /proc/PID/stat, counted behind the command's name, which may hold blanks; with the boot that it counts from. */
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
