import { calendarTime } from '../navigation/moments.ts'
import { clock } from '../text/times.ts'
import { activeRun } from './session.ts'
import { clockBy } from './view-state.ts'

/** Returns the Unix seconds of the run's beginning; undefined if the log has no epoch. */
export function epochShown(): number | undefined {
  return activeRun.value?.overview.value?.header.epoch
}

/** Returns a time of the run by the page's clock: time since the start, or the calendar if the log has an epoch. */
export function timeText(t: number): string {
  const epoch = epochShown()
  return epoch === undefined || clockBy.value === 'run' ? clock(t) : calendarTime(t, epoch, clockBy.value)
}
