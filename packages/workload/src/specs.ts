import { closest, distance } from 'fastest-levenshtein'

/** Error for a wrong text from the user, such as a filter, arrivals, a scenario or the name of a trace. */
export class SpecError extends Error {
  readonly _tag = 'SpecError'
  /** Kind of the text, such as `filter`, `arrivals`, `scenario`, `trace`. */
  readonly subject: string
  readonly found: string
  readonly expected: string

  /**
   * `known` has the allowed first words of the text; the message proposes a word that differs by at most two letters.
   */
  constructor(subject: string, found: string, expected: string, known: ReadonlyArray<string> = []) {
    super(`${subject}: found ${JSON.stringify(found)}, expected ${expected}${suggestion(found, known)}`)
    this.name = 'SpecError'
    this.subject = subject
    this.found = found
    this.expected = expected
  }
}

function suggestion(found: string, known: ReadonlyArray<string>): string {
  if (known.length === 0) return ''
  const [word] = /^[^:]*/.exec(found)!
  const candidate = closest(word, known)
  return distance(word, candidate) <= 2 ? `; did you mean ${candidate}${found.slice(word.length)}?` : ''
}

/**
 * Rule for the submit times of the jobs of a workload: as in the log (`trace`), all 0 (`zero`), or the submit times in
 * the log multiplied by a factor (`scale:0.5` doubles the load).
 */
export type Arrivals =
  | { readonly kind: 'trace' }
  | { readonly kind: 'zero' }
  | { readonly kind: 'scale'; readonly factor: number }

/** Reads `trace`, `zero` or `scale:FACTOR` (above 0, at most 6 digits and 6 decimals). @throws SpecError otherwise */
export function parseArrivals(text: string): Arrivals {
  if (text === 'trace' || text === 'zero') return { kind: text }
  const [, factor] = /^scale:(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? []
  if (factor === undefined || Number(factor) === 0) {
    throw new SpecError('arrivals', text, `'trace', 'zero' or 'scale:0.5' (a factor above 0 with at most 6 decimals)`)
  }
  return { kind: 'scale', factor: Number(factor) }
}

/** Returns the canonical spec of arrivals; a factor of 1 gives `trace`. */
export function formatArrivals(arrivals: Arrivals): string {
  if (arrivals.kind !== 'scale') return arrivals.kind
  return arrivals.factor === 1 ? 'trace' : `scale:${arrivals.factor}`
}

/** Returns the submit time of a job under some arrivals, in whole ms. `submit` is the submit time in the log, in ms. */
export function arrivalTime(arrivals: Arrivals, submit: number): number {
  if (arrivals.kind === 'zero') return 0
  return arrivals.kind === 'trace' ? submit : Math.round(submit * arrivals.factor)
}

/**
 * Returns the Unix seconds of a moment in UTC, such as `2014-08-01T12:00:00`, or of the first second of a day, such as
 * `2014-08-01`. Returns undefined for any other text and for years before 1970.
 */
export function parseMoment(text: string): number | undefined {
  const [, ...parts] = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2}))?$/.exec(text) ?? []
  if (parts.length === 0) return undefined
  const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0))
  const isDate = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
  if (!isDate || hour > 23 || minute > 59 || second > 59) return undefined
  return ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
}

/** Returns the shortest text that `parseMoment` reads as the given Unix seconds, of a year from 1970 to 9999. */
export function formatMoment(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const time = seconds - days * 86_400
  let year = 1970 + Math.floor(days / 366)
  while (daysSince1970(year + 1, 1, 1) <= days) year++
  let month = 1
  while (month < 12 && daysSince1970(year, month + 1, 1) <= days) month++
  const date = [year, month, days - daysSince1970(year, month, 1) + 1].map(twoDigits).join('-')
  if (time === 0) return date
  return `${date}T${[Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60].map(twoDigits).join(':')}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function daysInMonth(year: number, month: number): number {
  return monthDays[month - 1] + (month === 2 && isLeap(year) ? 1 : 0)
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function daysSince1970(year: number, month: number, day: number): number {
  const leapDaysBefore = (y: number): number =>
    Math.floor((y - 1) / 4) - Math.floor((y - 1) / 100) + Math.floor((y - 1) / 400)
  let days = (year - 1970) * 365 + leapDaysBefore(year) - leapDaysBefore(1970) + day - 1
  for (let before = 1; before < month; before++) days += daysInMonth(year, before)
  return days
}

/**
 * Returns the shortest decimal spelling, without exponent, of an integer within ±1e21 or a number from 0 to below 1e21.
 */
export function decimal(value: number): string {
  const text = String(value)
  if (!text.includes('e-')) return text
  const [digits, exponent] = text.split('e-')
  const [whole, decimals = ''] = digits.split('.')
  return `0.${(whole + decimals).padStart(Number(exponent) + decimals.length, '0')}`
}
