import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { attempt, closeRead, LogFileError, type LogFileReason, readSmallFile, refused } from './files.ts'
import { hostname } from 'node:os'

/**
 * Mode of opening a file for writing. `create`: fails if the file exists. `overwrite`: drops the bytes of an existing
 * file. `append`: writes after the bytes of an existing file. A pipe or device takes bytes in every mode.
 */
export type OutputMode = 'create' | 'overwrite' | 'append'

/** Every mode appends: a file that another program empties stays too short, and `close` reports the change. */
const FLAGS: { readonly [Mode in OutputMode]: string | number } = {
  create: 'ax',
  overwrite: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND,
  append: 'a',
}

/** Time of syncs, after which bytes survive a crash of the machine: each `write`, the `end` at closing, or `never`. */
type SyncedAt = 'write' | 'end' | 'never'

/** File that only this process writes. After `close`, the file has all written bytes, or an error was thrown. */
export class OutputFile {
  readonly path: string
  readonly #file: number
  readonly #isStream: boolean
  readonly #lock: WriterLock | undefined
  readonly #syncedAt: SyncedAt
  /** Length in bytes that the file has after all operations of this process. */
  #length = 0
  #isOpen = true
  #hasFailed = false

  /** Opens the file. @throws LogFileError if the file cannot be opened, or another process writes the file */
  constructor(path: string, mode: OutputMode, syncedAt: SyncedAt = 'end') {
    this.path = path
    this.#syncedAt = syncedAt
    this.#isStream = isStream(path)
    this.#lock = this.#isStream ? undefined : lockForWriting(path)
    try {
      this.#file = attempt('write', path, () => openSync(path, this.#isStream ? 'w' : FLAGS[mode]))
      if (mode === 'append') this.#length = attempt('write', path, () => fstatSync(this.#file)).size
      if (!this.#isStream && syncedAt === 'write') this.#syncFolder()
    } catch (error) {
      this.#lock?.release()
      throw error
    }
  }

  /** Writes bytes at the end of the file. @throws LogFileError if the bytes cannot be written */
  write(bytes: Uint8Array): void {
    const isSynced = !this.#isStream && this.#syncedAt === 'write'
    // A program may act on synced bytes, so a missing file is an error at once.
    if (isSynced) this.#checkPresent()
    this.#hasFailed = true
    for (let at = 0; at < bytes.length;) at += attempt('write', this.path, () => writeSync(this.#file, bytes, at))
    if (isSynced) attempt('write', this.path, () => fdatasyncSync(this.#file))
    this.#hasFailed = false
    this.#length += bytes.length
  }

  /** Drops all bytes of the file after the first `length` bytes. */
  truncate(length: number): void {
    attempt('write', this.path, () => ftruncateSync(this.#file, length))
    this.#length = length
  }

  /** Closes the file. @throws LogFileError if writing fails, or the file was deleted, replaced or changed meanwhile */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      // A failed `write` has already thrown a more precise error.
      if (!this.#isStream && !this.#hasFailed) {
        this.#checkPresent()
        if (this.#syncedAt === 'end') this.#syncEnd()
      }
    } finally {
      try {
        attempt('write', this.path, () => closeSync(this.#file))
      } finally {
        this.#lock?.release()
      }
    }
  }

  /** Syncs the file and its entry in the folder. A file system that cannot sync is no error. */
  #syncEnd(): void {
    try {
      fsyncSync(this.#file)
    } catch (error) {
      if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? ''))
        throw refused('write', this.path, error as NodeJS.ErrnoException)
    }
    this.#syncFolder()
  }

  /** Syncs the folder, because a new file without an entry is lost. Windows opens no folders, but loses no entries. */
  #syncFolder(): void {
    let folder: number | undefined
    try {
      folder = openSync(dirname(this.path), 'r')
      fsyncSync(folder)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!CANNOT_SYNC.has(code)) throw refused('write', this.path, error as NodeJS.ErrnoException)
    } finally {
      if (folder !== undefined) closeRead(folder)
    }
  }

  #checkPresent(): void {
    const [written, there] = attempt('write', this.path, () => [
      fstatSync(this.#file),
      statSync(this.path, { throwIfNoEntry: false }),
    ])
    if (there === undefined || there.ino !== written.ino || there.dev !== written.dev) {
      throw failure(
        this.path,
        'replaced',
        'the file was deleted or replaced while it was being written, so the log is lost',
      )
    }
    if (written.size !== this.#length)
      throw failure(
        this.path,
        'changed',
        'another program changed the file while it was being written; write the log again',
      )
  }
}

const CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EPERM', 'EISDIR'])

function failure(path: string, reason: LogFileReason, problem: string): LogFileError {
  return new LogFileError(path, reason, `cannot write ${path}: ${problem}`)
}

/** Most bytes of a lock file. A larger lock file counts as the lock of an unknown process. */
const MAX_LOCK = 4096
/** Most milliseconds to wait while another process takes over a lock: a takeover reads one file and makes one file. */
const TAKEOVER = 2000

/** Lock of a log: until `release`, no other process of this program can write the log. */
export interface WriterLock {
  release(): void
}

interface Owner {
  readonly host: string
  readonly pid: number
  /** Boot id, and clock ticks from boot to the start: tells processes with the same pid apart. Absent if unknown. */
  readonly started?: string
}

/**
 * Locks a log for one writer at a time, by a file `LOG.lock` beside the log that names the writer's process. The lock
 * of a dead process is taken over. A log with several hard links is refused, because another process could write the
 * log under another name, with another lock.
 *
 * @throws LogFileError with the reason `locked` if another process writes the log or may write the log
 */
export function lockForWriting(path: string): WriterLock {
  const log = realPath(path)
  const there = attempt('write', path, () => statSync(log, { throwIfNoEntry: false }))
  if (there?.isFile() === true && there.nlink > 1)
    throw locked(
      path,
      `the file has ${there.nlink} names (hard links), and another process could write it under another name; write to a copy of the file`,
    )
  const lock = `${log}.lock`
  const owner: Owner = { host: hostname(), pid: process.pid, ...startOf(process.pid) }
  if (!create(lock, path, owner)) takeOver(lock, path, owner)
  return { release: () => rmSync(lock, { force: true }) }
}

/** Returns true if the process named in the log's lock file may still run, or if the lock file is unreadable. */
export function isBeingWritten(path: string): boolean {
  const owner = read(`${realPath(path)}.lock`)
  return owner !== 'gone' && (owner === undefined || mayRun(owner))
}

/** Returns true if a path leads to a pipe, a terminal or a device, whose bytes cannot be read again. */
export function isStream(path: string): boolean {
  const found = attempt('read', path, () => statSync(path, { throwIfNoEntry: false }))
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Returns the path without symbolic links: two names of one file need the same lock. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Returns false if the lock file exists already. */
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
 * Only the holder of the file `LOG.lock.takeover` may remove a lock. Otherwise two processes could find the lock of a
 * dead process, and the slower process would remove the new lock of the faster process.
 */
function takeOver(lock: string, path: string, owner: Owner): void {
  const guard = `${lock}.takeover`
  for (let waited = 0; !create(guard, path, owner); waited += 10) {
    if (waited >= TAKEOVER)
      throw locked(path, `another process is about to write the file; if no process is, delete ${guard}`)
    pause(10)
  }
  try {
    const other = read(lock)
    if (other !== 'gone') {
      if (other === undefined || mayRun(other)) throw writtenBy(other, lock, path)
      rmSync(lock, { force: true })
    }
    // After the removal, a third process can make the lock without holding the guard.
    if (!create(lock, path, owner)) throw writtenBy(read(lock), lock, path)
  } finally {
    rmSync(guard, { force: true })
  }
}

/** Waits synchronously, because opening a log is one synchronous call. */
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

/** Returns false only if the process is surely dead. A process on another host counts as running. */
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
 * Returns the id of the machine's boot, and field 22 of /proc/PID/stat, the clock ticks from the boot to the start.
 * Fields are counted after the command's name (field 2), which may hold blanks. Returns no start on systems without
 * /proc.
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
  return locked(path, `${who} writes the file; if no process does, delete ${lock}`)
}

function locked(path: string, reason: string): LogFileError {
  return new LogFileError(path, 'locked', `cannot write ${path}: ${reason}`)
}
