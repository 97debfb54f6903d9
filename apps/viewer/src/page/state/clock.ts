import { calendarTime } from '../navigation/moments.ts'
import { clock } from '../text/times.ts'
import { activeRun } from './session.ts'
import { clockBy } from './view-state.ts'

/** Returns the Unix seconds of the active run's time 0; undefined if the log has no epoch. */
export function epochShown(): number | undefined {
  return activeRun.value?.overview.value?.header.epoch
}

/** Returns a time of the active run as text: since the run's start, or by the chosen calendar if there is an epoch. */
export function timeText(t: number): string {
  const epoch = epochShown()
  return epoch === undefined || clockBy.value === 'run' ? clock(t) : calendarTime(t, epoch, clockBy.value)
}
