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
