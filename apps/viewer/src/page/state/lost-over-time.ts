import { effect, type Signal, signal } from '@preact/signals'
import type { TimelineMeansAnswer } from '../../run/questions.ts'
import type { RunClient } from './run-client.ts'
import { runs, visible } from './session.ts'

/** Spans of the visible times: about as many as a screen has pixels for them. */
const POINTS = 800
/** How long the visible times rest before they are asked for, ms. */
const REST = 60

/** What became of each run's machine over the visible times. */
export const lostOverTime: Signal<ReadonlyMap<RunClient, TimelineMeansAnswer>> = signal(new Map())

/** Keeps it as the visible times and the runs change. */
export function keepLostOverTime(): void {
  effect(() => {
    const { from, to } = visible.value
    const shown = runs.value.filter((run) => run.version.value > 0)
    let isCurrent = true
    const timer = setTimeout(() => {
      for (const run of shown)
        run.answerer.ask('means', { from, to, points: POINTS }).then(
          (means) => {
            if (isCurrent) lostOverTime.value = new Map(lostOverTime.peek()).set(run, means)
          },
          (error: unknown) => {
            run.error.value = (error as Error).message
          },
        )
    }, REST)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  })
}
