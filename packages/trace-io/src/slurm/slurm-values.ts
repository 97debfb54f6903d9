import { parseMoment } from '@cloister/workload'

// Values as Slurm's accounting (sacct) spells them. Every reader returns undefined for a text that is no such value.

/** Seconds of `[DD-]HH:MM:SS` or `MM:SS`. */
export function durationSeconds(text: string): number | undefined {
  const [, days = '0', hours = '0', minutes, seconds] =
    /^(?:(?:(\d{1,5})-)?(\d{1,2}):)?(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (minutes === undefined || Number(minutes) > 59 || Number(seconds) > 59 || Number(hours) > 23) return undefined
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/** Unix seconds of `2014-08-01T12:00:00`, taken as UTC: Slurm tells no time zone. */
export function timeSeconds(text: string): number | undefined {
  return text.includes('T') ? parseMoment(text) : undefined
}

const statusOfState: Readonly<Record<string, number>> = {
  COMPLETED: 1,
  FAILED: 0,
  TIMEOUT: 0,
  NODE_FAIL: 0,
  OUT_OF_MEMORY: 0,
  BOOT_FAIL: 0,
  DEADLINE: 0,
  PREEMPTED: 0,
  CANCELLED: 5,
  PENDING: -1,
  RUNNING: -1,
  SUSPENDED: -1,
  COMPLETING: -1,
  CONFIGURING: -1,
  REQUEUED: -1,
  RESIZING: -1,
}

/** SWF's status of a job's state: 1 completed, 0 failed, 5 cancelled (`CANCELLED by 1234` too), -1 not ended. */
export function swfStatus(state: string): number | undefined {
  const word = /^[A-Z_]+(?=\+?$| by \d+$)/.exec(state)?.[0] ?? ''
  return Object.hasOwn(statusOfState, word) ? statusOfState[word] : undefined
}

export const slurmStates: ReadonlyArray<string> = Object.keys(statusOfState)
