import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'

const PART = /^\.[0-9a-f]{16}\.([0-9a-f]{12})\.([0-9a-f]{12})\.([1-9]\d{0,9})\.(\d{0,20})\.cloister-part$/

/** Process that writes a file, as the name of the file says. */
interface Writer {
  /** Hash of the host and its process namespace: processes of another host or container cannot be looked at. */
  readonly machine: string
  /** Hash of the boot of the host. */
  readonly boot: string
  readonly pid: string
  /** Start of the process in ticks since the boot; empty if it cannot be known. A later process may have the same pid. */
  readonly started: string
}

/** Returns a new name for a file that is not whole yet. The name says which process writes the file. */
export function partName(): string {
  const { machine, boot, pid, started } = thisProcess()
  const random = crypto().randomBytes(8).toString('hex')
  return `.${random}.${machine}.${boot}.${pid}.${started}.cloister-part`
}

const swept = new Set<string>()

/**
 * Removes files that ended processes left in a folder before they were whole, once per folder. A file stays if its process runs, or
 * may run on another host.
 */
export function removeLeftParts(folder: string): void {
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
    // The file itself can be written all the same, or says why not.
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

/** Field 22 of /proc/PID/stat, counted behind the name of the command, which may hold blanks. */
function startOf(pid: string): string {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

/** The text is empty on systems that have no such file. */
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

/** Loaded when a file is written: to load cryptography takes a tenth of a start, and few commands write a file. */
function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}
