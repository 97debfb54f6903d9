import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Process that holds a lease, as written in the files of the lease. */
export interface Owner {
  readonly host: string
  readonly pid: number
  /** Namespace of the pid: a container may have processes that its host does not know. Absent if unknown. */
  readonly space?: string
  /** Boot id, and clock ticks from boot to the start: tells processes with the same pid apart. Absent if unknown. */
  readonly started?: string
}

/** Returns this process as an owner of leases. */
export function ownProcess(): Owner {
  const space = ownSpace()
  const started = startOf(process.pid)
  return {
    host: hostname(),
    pid: process.pid,
    ...(space !== undefined && { space }),
    ...(started !== undefined && { started }),
  }
}

/** Returns true if the process has surely ended. False for processes on other hosts and in other containers. */
export function isGone({ host, pid, space, started }: Owner): boolean {
  if (host !== hostname() || (space !== undefined && space !== ownSpace())) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const now = startOf(pid)
  return started !== undefined && now !== undefined && started !== now
}

function ownSpace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

/**
 * Returns the id of the machine's boot, and field 22 of /proc/PID/stat, the clock ticks from the boot to the start.
 * Fields are counted after the command's name (field 2), which may hold blanks. Undefined on systems without /proc.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${ticks}`
  } catch {
    return undefined
  }
}
