import { fixedOffset, type UtcOffset } from '@cloister/trace-io'
import { SpecError } from '@cloister/workload'

/** Seconds (a quarter of an hour) with one offset. Time zones change offsets only at full quarters of an hour. */
const QUARTER = 900

/**
 * Returns a function from Unix seconds to a time zone's offset from UTC in seconds, positive to the east.
 * @param zone a name of the IANA database, for example `Europe/Berlin`, or an offset, for example `+02:00`
 * @throws SpecError for an unknown zone
 */
export function utcOffsetIn(zone: string): UtcOffset {
  if (/^(?:UTC|[+-].*)$/.test(zone)) return fixedOffset(zone)
  const format = formatIn(zone)
  const known = new Map<number, number>()
  return (time) => {
    const quarter = Math.floor(time / QUARTER)
    let offset = known.get(quarter)
    if (offset === undefined) {
      const at = quarter * QUARTER
      const part = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]))
      offset = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) / 1000 - at
      known.set(quarter, offset)
    }
    return offset
  }
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw new SpecError('time zone', timeZone, 'a time zone such as Europe/Berlin, America/New_York or +02:00')
  }
}
