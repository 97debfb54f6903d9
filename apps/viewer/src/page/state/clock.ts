import { calendarTime } from '../navigation/moments.ts'
import { clock } from '../text/times.ts'
import { activeRun } from './session.ts'
import { clockBy } from './view-state.ts'

/** Unix seconds of the run's beginning; undefined where the log does not say. */
export function epochShown(): number | undefined {
  return activeRun.value?.overview.value?.header.epoch
}

/** A time of the run as the page shows times: of the run itself, or of the calendar where the log has one. */
export function timeText(t: number): string {
  const epoch = epochShown()
  return epoch === undefined || clockBy.value === 'run' ? clock(t) : calendarTime(t, epoch, clockBy.value)
}
