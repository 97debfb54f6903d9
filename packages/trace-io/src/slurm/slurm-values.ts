import { parseMoment } from '@cloister/workload'

// Values as Slurm's accounting (sacct) spells them. Every reader returns undefined for a text that is no such value.

/** Seconds of `[DD-]HH:MM:SS` or `MM:SS`. */
export function durationSeconds(text: string): number | undefined {
  const [, days = '0', hours = '0', minutes, seconds] =
    /^(?:(?:(\d{1,5})-)?(\d{1,2}):)?(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (minutes === undefined || Number(minutes) > 59 || Number(seconds) > 59 || Number(hours) > 23) return undefined
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/** Seconds of a time limit: a duration, or as users write one: `DD-HH`, `DD-HH:MM`, minutes alone. */
export function limitSeconds(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 60
  const [, days, hours, minutes = '0'] = /^(\d{1,5})-(\d{1,2})(?::(\d{2}))?$/.exec(text) ?? []
  if (days === undefined) return durationSeconds(text)
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60
}

/** Unix seconds of `2014-08-01T12:00:00`, taken as UTC: Slurm tells no time zone. */
export function timeSeconds(text: string): number | undefined {
  return text.includes('T') ? parseMoment(text) : undefined
}

/** How many graphics processors a text such as `billing=4,gres/gpu:a100=2,gres/gpu=2,node=1` counts. */
export function gpusOf(tres: string): number {
  if (!tres.includes('gres/gpu')) return 0
  const all = /(?:^|,)gres\/gpu=(\d{1,9})(?:,|$)/.exec(tres)
  if (all !== null) return Number(all[1])
  let typed = 0
  for (const [, gpus] of tres.matchAll(/(?:^|,)gres\/gpu:[^=,]*=(\d{1,9})/g)) typed += Number(gpus)
  return typed
}

/** How many processors a text such as `billing=4,cpu=32,node=1` counts; 0 for none. */
export function cpusOf(tres: string): number {
  return Number(/(?:^|,)cpu=(\d{1,9})(?:,|$)/.exec(tres)?.[1] ?? 0)
}

/** How many nodes a text such as `billing=4,node=1` counts; -1 where it counts none. */
export function nodesOf(tres: string): number {
  return Number(/(?:^|,)node=(\d{1,9})(?:,|$)/.exec(tres)?.[1] ?? -1)
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
  REVOKED: 5,
  PENDING: -1,
  RUNNING: -1,
  SUSPENDED: -1,
  COMPLETING: -1,
  CONFIGURING: -1,
  REQUEUED: -1,
  RESIZING: -1,
}

/** The state itself: `CANCELLED` of `CANCELLED by 1234` and of the cut off `CANCELLED+`. */
export function stateWord(state: string): string | undefined {
  const word = /^[A-Z_]+(?=\+?$| by .+$)/.exec(state)?.[0] ?? ''
  return Object.hasOwn(statusOfState, word) ? word : undefined
}

/** SWF's status of one of `slurmStates`: 1 completed, 0 failed, 5 cancelled, -1 not ended. */
export function swfStatus(state: string): number {
  return statusOfState[state]
}

/** The states of Slurm that are known, as `squeue` and `sacct` write them: `COMPLETED`, `NODE_FAIL`. */
export const slurmStates: ReadonlyArray<string> = Object.keys(statusOfState)
