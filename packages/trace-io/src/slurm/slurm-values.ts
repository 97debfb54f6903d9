import { parseMoment } from '@cloister/workload'

// Readers of the values in Slurm's accounting (sacct). Readers of times and states return undefined for a wrong text.

/** Returns the seconds of a duration, `[DD-]HH:MM:SS` or `MM:SS`; undefined for any other text. */
export function durationSeconds(text: string): number | undefined {
  const [, days = '0', hours = '0', minutes, seconds] =
    /^(?:(?:(\d{1,5})-)?(\d{1,2}):)?(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (minutes === undefined || Number(minutes) > 59 || Number(seconds) > 59 || Number(hours) > 23) return undefined
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/**
 * Returns the seconds of a time limit in a form that users write: `[DD-]HH:MM:SS`, `MM:SS`, `DD-HH`, `DD-HH:MM`, or a
 * number of minutes. Returns undefined for any other text.
 */
export function limitSeconds(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 60
  const [, days, hours, minutes = '0'] = /^(\d{1,5})-(\d{1,2})(?::(\d{2}))?$/.exec(text) ?? []
  if (days === undefined) return durationSeconds(text)
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60
}

/** Returns the Unix seconds of a time such as `2014-08-01T12:00:00`, read as UTC; undefined for any other text. */
export function timeSeconds(text: string): number | undefined {
  return text.includes('T') ? parseMoment(text) : undefined
}

/** Returns the number of graphics processors in a text such as `gres/gpu:a100=2,gres/gpu=2,node=1`; 0 for none. */
export function gpusOf(tres: string): number {
  if (!tres.includes('gres/gpu')) return 0
  const all = /(?:^|,)gres\/gpu=(\d{1,9})(?:,|$)/.exec(tres)
  if (all !== null) return Number(all[1])
  let typed = 0
  for (const [, gpus] of tres.matchAll(/(?:^|,)gres\/gpu:[^=,]*=(\d{1,9})/g)) typed += Number(gpus)
  return typed
}

/** Returns the number of processors in a text such as `billing=4,cpu=32,node=1`; 0 for none. */
export function cpusOf(tres: string): number {
  return Number(/(?:^|,)cpu=(\d{1,9})(?:,|$)/.exec(tres)?.[1] ?? 0)
}

/** Returns the number of nodes in a text such as `billing=4,node=1`; -1 if the text states no number of nodes. */
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

/**
 * Returns the word of a state: `CANCELLED` for `CANCELLED by 1234` and for the shortened `CANCELLED+`; undefined for a
 * state that is not in `slurmStates`.
 */
export function stateWord(state: string): string | undefined {
  const word = /^[A-Z_]+(?=\+?$| by .+$)/.exec(state)?.[0] ?? ''
  return Object.hasOwn(statusOfState, word) ? word : undefined
}

/** Returns the status in SWF for a state of `slurmStates`: 1 completed, 0 failed, 5 cancelled, -1 not ended. */
export function swfStatus(state: string): number {
  return statusOfState[state]
}

/** States of Slurm that the readers know, as `squeue` and `sacct` write them: `COMPLETED`, `NODE_FAIL`. */
export const slurmStates: ReadonlyArray<string> = Object.keys(statusOfState)
