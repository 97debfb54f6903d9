import { JobQueryError, parseJobQuery, parseLength } from '@cloister/metrics'
import type { Topology } from '@cloister/topology'
import type { ClockBy } from '../../words.ts'
import { type NamedPath, pathNamed, type Place, placesNamed } from './places.ts'

/** Possible meaning of a text in the search field. */
export type Suggestion =
  | { readonly kind: 'job'; readonly job: string }
  | { readonly kind: 'moment'; readonly moment: NamedMoment }
  | { readonly kind: 'times'; readonly times: NamedTimes }
  | { readonly kind: 'place'; readonly place: Place; readonly t: number | undefined }
  | ({ readonly kind: 'path' } & NamedPath)
  | { readonly kind: 'query'; readonly query: string }
  | { readonly kind: 'command'; readonly name: string }

/** Facts of the run that the search field needs. */
interface Surroundings {
  readonly topology: Topology
  readonly ids: ReadonlyArray<string>
  readonly isJob: (id: string) => boolean
  readonly epoch: number | undefined
  readonly clockBy: ClockBy
  readonly commands: ReadonlyArray<string>
}

const JOBS = 5
const PLACES = 6
/** Number of jobs that are searched for an id with the text as its beginning. */
const LOOKED_THROUGH = 200_000

/**
 * Returns the meanings of a text, likeliest first: a job (`455`, `job 455`), a length of visible times, a time or record, a part of the
 * machine (`leaf 3 @ 06:12`: at a time), a path (`node 3 -> node 40`), a query, a command, jobs whose ids begin with the text.
 */
export function suggestionsFor(given: string, run: Surroundings): ReadonlyArray<Suggestion> {
  const text = given.trim()
  if (text === '') return run.commands.map((name) => ({ kind: 'command', name }))
  const moment = parseMoment(text, run.epoch, run.clockBy)
  const times = parseTimes(text, run.epoch, run.clockBy)
  const path = pathNamed(text, run.topology)
  const job = [text, text.replace(/^job\s+/i, '')].find((id) => run.isJob(id))
  return [
    ...(job === undefined ? [] : [{ kind: 'job', job } as const]),
    ...(times === undefined ? [] : [{ kind: 'times', times } as const]),
    ...(moment === undefined ? [] : [{ kind: 'moment', moment } as const]),
    ...placesAt(text, run).slice(0, PLACES),
    ...(path === undefined ? [] : [{ kind: 'path', ...path } as const]),
    ...(isQuery(text) ? [{ kind: 'query', query: text } as const] : []),
    ...run.commands
      .filter((name) => text.length > 1 && name.includes(text.toLowerCase()))
      .map((name) => ({ kind: 'command', name }) as const),
    ...jobsBeginning(text, run),
  ]
}

function placesAt(text: string, { topology, epoch, clockBy }: Surroundings): ReadonlyArray<Suggestion> {
  const [name, time, ...more] = text.split('@')
  const moment = time === undefined ? undefined : parseMoment(time, epoch, clockBy)
  if (more.length > 0 || (time !== undefined && (moment === undefined || 'seq' in moment))) return []
  const t = moment !== undefined && 't' in moment ? moment.t : undefined
  return placesNamed(name.trim(), topology).map((place) => ({ kind: 'place', place, t }))
}

/** Returns true if a text is a query with a condition. Words alone may be a user, and only the log knows the users. */
function isQuery(text: string): boolean {
  if (!/[=<>~]/.test(text.replaceAll('->', ''))) return false
  try {
    parseJobQuery(text)
    return true
  } catch (error) {
    if (error instanceof JobQueryError) return false
    throw error
  }
}

function jobsBeginning(text: string, { ids }: Surroundings): ReadonlyArray<Suggestion> {
  const found: Array<Suggestion> = []
  for (let at = 0; at < Math.min(ids.length, LOOKED_THROUGH) && found.length < JOBS; at++)
    if (ids[at].startsWith(text) && ids[at] !== text) found.push({ kind: 'job', job: ids[at] })
  return found
}

/** A moment named by a text: a time in seconds or a record. */
type NamedMoment = { readonly t: number } | { readonly seq: number }

/** Visible times named by a text: a length in seconds, and their begin; the cursor is in the middle without a begin. */
interface NamedTimes {
  readonly length: number
  readonly from: number | undefined
}

/** Parses `1h`, `30m`, `2d` or `3600s` as a length of visible times, and `1h@3d` or `1h @ 3d 06:00` with their begin. */
export function parseTimes(text: string, epoch: number | undefined, by: ClockBy): NamedTimes | undefined {
  const [length, begin, ...more] = text.trim().toLowerCase().split('@')
  const seconds = /[a-z]/.test(length) ? parseLength(length.replaceAll(' ', '')) : undefined
  const moment = begin === undefined ? undefined : parseMoment(begin, epoch, by)
  const isWrong = begin !== undefined && (moment === undefined || 'seq' in moment)
  if (seconds === undefined || !(seconds > 0) || isWrong || more.length > 0) return undefined
  return { length: seconds, from: moment !== undefined && 't' in moment ? moment.t : undefined }
}

/**
 * Parses `11d 13:46`, `13:46:05`, `3h`, `950000`, `record 700`, `#700`. If the epoch is known, also parses
 * `2007-03-02` and `2007-03-02 14:00`. The text may begin with `@`.
 *
 * @param epoch Unix seconds of t = 0; undefined if the log has no epoch
 * @returns undefined if the text names no moment
 */
export function parseMoment(text: string, epoch: number | undefined, by: ClockBy): NamedMoment | undefined {
  const wanted = text.trim().replace(/^@\s*/, '').toLowerCase()
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
