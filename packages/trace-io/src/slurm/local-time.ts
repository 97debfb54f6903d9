import { SpecError } from '@cloister/workload'
import { timeSeconds } from './slurm-values.ts'

/** Function that returns the seconds by which the clocks of a place are ahead of UTC, at a time in Unix seconds. */
export type UtcOffset = (time: number) => number

/**
 * Returns a reader of times as Slurm writes them: Unix seconds (`SLURM_TIME_FORMAT=%s`), or date and time of day by the
 * clocks of a place. The reader returns Unix seconds; undefined for a text that is no such time. If clocks are set
 * back, a time of day occurs twice: the reader then takes the later instant in places east of Greenwich, and the
 * earlier instant in places west of Greenwich.
 */
export function timeReader(offsetAt: UtcOffset = () => 0): (text: string) => number | undefined {
  return (text) => {
    if (/^\d{1,12}$/.test(text)) return Number(text)
    const local = timeSeconds(text)
    if (local === undefined) return undefined
    const guess = local - offsetAt(local)
    return local - offsetAt(guess)
  }
}

/** Returns the constant offset of `UTC` or of a text such as `+02:00`. @throws SpecError for any other text */
export function fixedOffset(zone: string): UtcOffset {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):([0-5]\d)$/.exec(zone) ?? []
  if (zone !== 'UTC' && sign === undefined) throw new SpecError('time zone', zone, 'UTC, or an offset such as +02:00')
  const seconds = zone === 'UTC' ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60)
  return () => seconds
}
