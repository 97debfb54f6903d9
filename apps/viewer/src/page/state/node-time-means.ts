import { effect, type Signal, signal } from '@preact/signals'
import type { TimelineMeansAnswer } from '../../run/questions.ts'
import { askRested } from './ask-rested.ts'
import type { RunClient } from './run-client.ts'
import { runs, visible } from './session.ts'
import type { Span } from './view-state.ts'

/** Number of points of `nodeTimeMeans` over the visible times: enough for a picture on a wide screen. */
const POINTS = 800
/** Time between the last change of the visible times and the request of means, in ms. */
const REST = 60

/** Means of the figures of each run's timeline, at points of the visible times. */
export const nodeTimeMeans: Signal<ReadonlyMap<RunClient, TimelineMeansAnswer>> = signal(new Map())

/** Requests the means of `nodeTimeMeans` again whenever the visible times or the runs change. */
export function keepNodeTimeMeans(): void {
  effect(() => {
    const { from, to } = visible.value
    const shown = runs.value.filter((run) => run.version.value > 0)
    const stops = shown.map((run) => askMeans(run, { from, to }))
    return () => {
      for (const stop of stops) stop()
    }
  })
}

function askMeans(run: RunClient, times: Span): () => void {
  return askRested<TimelineMeansAnswer>({
    rest: REST,
    ask: async (give, signal) => give(await run.answerer.ask('means', { ...times, points: POINTS }, signal)),
    given: (means) => {
      nodeTimeMeans.value = new Map(nodeTimeMeans.peek()).set(run, means)
    },
    failed: (message) => {
      run.error.value = message
    },
  })
}
