import { parseLength } from '@cloister/metrics'

/** Clock of times on the page: time since the run's start, or calendar in UTC or in the browser's time zone. */
export type ClockBy = 'run' | 'utc' | 'local'

/** A moment named by a text: a time in seconds or a record. */
export type NamedMoment = { readonly t: number } | { readonly seq: number }

/**
 * Parses `11d 13:46`, `13:46:05`, `3h`, `950000`, `record 700`, `#700`. If the epoch is known, also parses
 * `2007-03-02` and `2007-03-02 14:00`.
 *
 * @param epoch Unix seconds of t = 0; undefined if the log has no epoch
 * @returns undefined if the text names no moment
 */
export function parseMoment(text: string, epoch: number | undefined, by: ClockBy): NamedMoment | undefined {
  const wanted = text.trim().toLowerCase()
  const [, seq] = /^(?:#|record\s+)\s*(\d{1,12})$/.exec(wanted) ?? []
  if (seq !== undefined) return { seq: Number(seq) }
  const t = timeOfRun(wanted) ?? (epoch === undefined ? undefined : dateOf(wanted, epoch, by))
  return t === undefined || !(t >= 0) ? undefined : { t }
}

function timeOfRun(text: string): number | undefined {
  const [, days = '0', hours, minutes, seconds = '0'] =
    /^(?:(\d{1,6})\s*d\s+)?(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,3})?))?$/.exec(text) ?? []
  if (hours !== undefined)
    return Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 60
      ? undefined
      : ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return parseLength(text.replaceAll(' ', ''))
}

function dateOf(text: string, epoch: number, by: ClockBy): number | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})(?:[ t](\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1).map((part) => Number(part ?? 0))
  const date =
    by === 'local'
      ? new Date(year, month - 1, day, hour, minute, second)
      : new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // `Date` turns 31 February into a day of March, so the day is compared.
  const isThatDay = (by === 'local' ? date.getDate() : date.getUTCDate()) === day
  return isThatDay && month <= 12 && hour <= 23 && minute <= 59 && second <= 59
    ? date.getTime() / 1000 - epoch
    : undefined
}

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
