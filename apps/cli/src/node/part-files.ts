import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'

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
export function partName(): string {
  const { machine, boot, pid, started } = thisProcess()
  const random = crypto().randomBytes(8).toString('hex')
  return `.${random}.${machine}.${boot}.${pid}.${started}.cloister-part`
}

const swept = new Set<string>()

/**
 * Removes partial files of ended processes from a folder, once for each folder. A partial file stays if its process
 * runs, or may run on another host.
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
