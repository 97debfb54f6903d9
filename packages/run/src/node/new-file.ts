import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { withPath } from './system-errors.ts'

/** Action if the output file exists already: fail, or replace the file. */
export type Existing = 'refuse' | 'overwrite'

/** File that is written under a temporary name, and moved to the final path once complete. */
export interface NewFile {
  /** Temporary path of the file. */
  readonly temporary: string
  readonly write: (content: string | Uint8Array) => void
  /** Flushes the file to the disk, and moves the file to the final path. Returns the size of the file in bytes. */
  readonly commit: () => number
  /** Removes the temporary file. Does nothing after `commit`. */
  readonly discard: () => void
}

/**
 * Begins a file under a temporary name in the folder of the final path, and removes partial files of ended processes
 * from this folder. If the final path is a link, the target of the link is replaced. A pipe or a device is written
 * directly.
 */
export function createFile(path: string, existing: Existing): NewFile {
  return withPath(path, () => {
    if (existing === 'refuse' && lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw existsError(path)
    const there = statSync(path, { throwIfNoEntry: false })
    // Paths in /dev and /proc may be standard streams of a process. Such a stream is written directly even if it is a
    // file.
    const isStream = (there !== undefined && !there.isFile()) || /^\/(dev|proc)\//.test(resolve(path))
    if (isStream) return streamTo(path)
    const target = targetOf(path)
    removeLeftParts(dirname(target))
    const temporary = join(dirname(target), partName())
    const file = openSync(temporary, 'wx')
    if (there !== undefined) fchmodSync(file, there.mode & 0o7777)
    return fileBeside({ path, target, temporary, file, existing })
  })
}

interface Begun {
  readonly path: string
  readonly target: string
  readonly temporary: string
  readonly file: number
  readonly existing: Existing
}

function fileBeside({ path, target, temporary, file, existing }: Begun): NewFile {
  const close = closing(file)
  return {
    temporary,
    write: (content) => withPath(path, () => writeWhole(file, content)),
    commit: () =>
      withPath(path, () => {
        close()
        const size = syncFile(temporary)
        place(temporary, target, existing)
        syncFolder(dirname(target))
        return size
      }),
    discard: () =>
      withPath(path, () => {
        try {
          close()
        } finally {
          rmSync(temporary, { force: true })
        }
      }),
  }
}

function streamTo(path: string): NewFile {
  const file = openSync(path, 'w')
  const close = closing(file)
  return {
    temporary: path,
    write: (content) => withPath(path, () => writeWhole(file, content)),
    commit: () =>
      withPath(path, () => {
        const { size } = fstatSync(file)
        close()
        return size
      }),
    discard: () => withPath(path, close),
  }
}

/** Returns the path of the file to which a path leads through links, even if the file is missing. */
function targetOf(path: string): string {
  const own = lstatSync(path, { throwIfNoEntry: false })
  if (own?.isSymbolicLink() !== true) return path
  return statSync(path, { throwIfNoEntry: false }) === undefined
    ? targetOf(resolve(dirname(path), readlinkSync(path)))
    : realpathSync(path)
}

/** Opens the file by name, because another program may have written the file. */
function syncFile(path: string): number {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    return fstatSync(file).size
  } finally {
    closeSync(file)
  }
}

/** With `refuse`, fails if a file has appeared at `target` since the check in `createFile`. */
function place(temporary: string, target: string, existing: Existing): void {
  if (existing === 'overwrite') return renameSync(temporary, target)
  try {
    linkSync(temporary, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Without hard links in the file system, a rename must do, which could overwrite a file that appears just now.
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw existsError(target)
    return renameSync(temporary, target)
  }
  rmSync(temporary)
}

/** Flushes a folder to the disk, because the folder has the name of the new file. Some systems cannot flush folders. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch {
    // Without a flush of the folder only the name of the file may get lost; the file itself is on the disk.
  }
}

function writeWhole(file: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}

function existsError(path: string): Error {
  return Object.assign(new Error(`EEXIST: file already exists, '${path}'`), { code: 'EEXIST', syscall: 'open', path })
}

// Names of partial files, and the removal of partial files that ended processes left.

const PART = /^\.[0-9a-f]{16}\.([0-9a-f]{12})\.([0-9a-f]{12})\.([1-9]\d{0,9})\.(\d{0,20})\.cloister-part$/

/** Process that writes a partial file, as the name of the file tells. */
interface Writer {
  /** Hash of host name and process namespace. Only processes with the same hash are visible to this process. */
  readonly machine: string
  /** Hash that changes with each boot of the host. */
  readonly boot: string
  readonly pid: string
  /** Start of the process in ticks since the boot, or empty if unknown. A later process may have the same pid. */
  readonly started: string
}

/** Returns a new name for a partial file. The name identifies the process that writes the file. */
function partName(): string {
  const { machine, boot, pid, started } = thisProcess()
  const random = crypto().randomBytes(8).toString('hex')
  return `.${random}.${machine}.${boot}.${pid}.${started}.cloister-part`
}

const swept = new Set<string>()

/**
 * Removes partial files of ended processes from a folder, once for each folder. A partial file stays if its process
 * runs, or may run on another host.
 */
function removeLeftParts(folder: string): void {
  const path = resolve(folder)
  if (swept.has(path)) return
  swept.add(path)
  try {
    for (const name of readdirSync(folder)) {
      const [, machine, boot, pid, started] = PART.exec(name) ?? []
      if (machine !== undefined && hasEnded({ machine, boot, pid, started }))
        rmSync(join(folder, name), { force: true })
    }
  } catch {
    // An error does not matter here, because the creation of the new file reports problems with the folder.
  }
}

function hasEnded({ machine, boot, pid, started }: Writer): boolean {
  const here = thisProcess()
  if (machine !== here.machine) return false
  if (boot !== here.boot) return true
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const now = startOf(pid)
  return started !== '' && now !== '' && started !== now
}

let known: Writer | undefined

function thisProcess(): Writer {
  known ??= {
    machine: shortHash(`${hostname()} ${textOf(() => readlinkSync('/proc/self/ns/pid'))}`),
    boot: shortHash(textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))),
    pid: String(process.pid),
    started: startOf('self'),
  }
  return known
}

/** Returns field 22 of /proc/PID/stat, counted from the end of the command's name, which may have blanks. */
function startOf(pid: string): string {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

/** Returns the trimmed text that `read` reads in /proc, or an empty text on systems without /proc. */
function textOf(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

function shortHash(text: string): string {
  return crypto().createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** Loads node:crypto at the first use: loading takes a tenth of the program's start, and few commands write a file. */
function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}

/** Returns a function that closes a file at the first call. */
function closing(file: number): () => void {
  let isOpen = true
  return () => {
    if (!isOpen) return
    isOpen = false
    closeSync(file)
  }
}
