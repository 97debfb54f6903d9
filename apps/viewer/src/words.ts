import type { Moment } from './run/questions.ts'

/** Returns a time of a run, in seconds, as text: `1 d 02:03:04`, without 0 days, and with milliseconds unless 0. */
export function clock(t: number): string {
  const ms = Math.round(t * 1000)
  const seconds = Math.floor(ms / 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const days = Math.floor(seconds / 86_400)
  const rest = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`
  return `${days > 0 ? `${days} d ` : ''}${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${rest}`
}

/** Clock of times on the page: time since the run's start, or calendar in UTC or in the browser's time zone. */
export type ClockBy = 'run' | 'utc' | 'local'

/** Returns a time of a run by the calendar: `2007-03-02 14:00:05`. */
export function calendarTime(t: number, epoch: number, by: 'utc' | 'local'): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = new Date(Math.floor(epoch + t) * 1000)
  const [year, month, day, hour, minute, second] =
    by === 'utc'
      ? [
          date.getUTCFullYear(),
          date.getUTCMonth(),
          date.getUTCDate(),
          date.getUTCHours(),
          date.getUTCMinutes(),
          date.getUTCSeconds(),
        ]
      : [date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds()]
  return `${year}-${two(month + 1)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`
}

/** Returns a length of time as text in at most two units: `2 h 13 min`. */
export function span(seconds: number): string {
  const sign = seconds < 0 ? '−' : ''
  const s = Math.abs(seconds)
  if (s < 60) return `${sign}${Math.round(s * 1000) / 1000} s`
  if (s < 3600) return `${sign}${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`
  if (s < 86_400) return `${sign}${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`
  return `${sign}${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`
}

/** Returns a length of time as text in one unit: `2.4 d`, `13 min`. */
export function shortSpan(seconds: number): string {
  const s = Math.abs(seconds)
  const [size, unit] = s < 60 ? [1, 's'] : s < 3600 ? [60, 'min'] : s < 86_400 ? [3600, 'h'] : [86_400, 'd']
  const value = s / size
  return `${seconds < 0 ? '−' : ''}${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${unit}`
}

export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Returns node-seconds as node-hours: with two decimals below 10, else whole. */
export function nodeHours(nodeSeconds: number): string {
  const value = nodeSeconds / 3600
  return value < 10 ? value.toFixed(2) : count(value)
}

export function percent(share: number, digits: number = 1): string {
  return `${(share * 100).toFixed(digits)} %`
}

/** Names of the numbers of nodes by use, in all views: a number of the page has one name everywhere. */
export const useNames = {
  busy: 'busy',
  internal: 'beyond request',
  external: 'idle while jobs wait',
  placement: 'idle while the head fits',
  fragmented: 'fragmented',
  tooFewNodes: 'too few nodes',
  noJob: 'no job waits',
  down: 'down',
} as const

/** Greatest number of characters of a job's id in labels and tables. */
export const ID_CHARACTERS = 14

/** Returns a job's id for a label: the first 14 characters of a longer id, with an ellipsis. */
export function shortened(id: string): string {
  return id.length <= ID_CHARACTERS ? id : `${id.slice(0, ID_CHARACTERS)}…`
}

const steps = [
  0.001, 0.01, 0.1, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
  172_800, 432_000, 864_000, 2_592_000, 8_640_000, 31_536_000,
]

/**
 * Returns about `wanted` or fewer round times between two times, at equal distances; all times are in seconds.
 * @param zero time on the clock of the labels at t = 0, so that the labels are round
 */
export function ticks(from: number, to: number, wanted: number, zero = 0): ReadonlyArray<number> {
  const step = steps.find((each) => (to - from) / each <= wanted) ?? (to - from) / wanted
  const result: Array<number> = []
  for (let at = Math.ceil((from + zero) / step); at * step - zero <= to && result.length < 100; at++)
    result.push(at * step - zero)
  return result
}

/** Returns a number of nodes in words: `1 node`, `1,024 nodes`. */
export function nodesInWords(nodes: number): string {
  return nodes === 1 ? '1 node' : `${nodes.toLocaleString('en')} nodes`
}

/** Describes the fields of a query that no job of the log has: `: this log names no queues`. */
export function unnamedInWords(fields: ReadonlyArray<string>): string {
  return fields.length === 0 ? '' : `: this log names no ${fields.map((field) => `${field}s`).join(' and no ')}`
}

/** Describes free nodes: `no node is free`, `1 node is free`, `12 nodes are free`. */
export function freeInWords(nodes: number): string {
  if (nodes === 0) return 'no node is free'
  return nodes === 1 ? '1 node is free' : `${nodesInWords(nodes)} are free`
}

/** Describes the state at a moment in words: `1 job runs, 5 wait, 12 nodes are free, 2 down`. */
export function stateInWords({
  running,
  waiting,
  free,
  down,
}: Pick<Moment, 'running' | 'waiting' | 'free' | 'down'>): string {
  const run = running.length === 1 ? '1 job runs' : `${count(running.length)} jobs run`
  return `${run}, ${count(waiting)} wait, ${freeInWords(free)}${down === 0 ? '' : `, ${count(down)} down`}`
}
