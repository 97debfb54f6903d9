import { computed, type ReadonlySignal } from '@preact/signals'
import { type Comparison, compareRuns } from './comparison.ts'
import { reveal } from '../navigation/reveal.ts'
import type { RunClient } from './run-client.ts'
import { activeRun, runs, select } from './session.ts'
import { cursor, selectedJob } from './view-state.ts'

/** The run that is compared with the first run: the active run, or the second run if the first run is active. */
export const otherRun: ReadonlySignal<RunClient | undefined> = computed(() =>
  activeRun.value === runs.value[0] ? runs.value[1] : activeRun.value,
)

/** Comparison of the first run with `otherRun`; undefined until both logs are read. */
export const comparison: ReadonlySignal<Comparison | undefined> = computed(() => {
  const [a, b] = [runs.value[0], otherRun.value]
  if (a === undefined || b === undefined) return undefined
  const isRead = [a, b].every(
    (run) => run.overview.value !== undefined && run.overview.value.status !== 'reading' && run.version.value > 0,
  )
  return isRead ? compareRuns(a, b) : undefined
})

/** Moves the cursor to the next or previous difference between the compared runs, job by job, and selects the job. */
export function jumpToDivergence(direction: 1 | -1): void {
  const { divergences = [] } = comparison.peek() ?? {}
  const { t } = cursor.peek()
  const here = divergences.findIndex((each) => each.t === t && each.job === selectedJob.peek())
  const next =
    here >= 0
      ? divergences[here + direction]
      : direction === 1
        ? divergences.find((each) => each.t >= t)
        : divergences.findLast((each) => each.t <= t)
  if (next === undefined) return
  reveal({ kind: 'time', t: next.t })
  select(next.job, false)
}
