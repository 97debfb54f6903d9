import type { Steps } from '../tracks/differences.ts'
import type { RunClient } from './run-client.ts'

/** Figures of a timeline of which the page requests every value, and not only the lowest and highest values. */
export type SteppedFigure = 'busy' | 'waiting'
type AllSteps = Readonly<Record<SteppedFigure, Steps>>

const known = new WeakMap<RunClient, { readonly version: string; readonly steps: Promise<AllSteps> }>()

/** Returns every value of a run's figures `busy` and `waiting`, with one request for each state of the log. */
export function stepsOf(run: RunClient): Promise<AllSteps> {
  const { generation, records } = run.overview.peek() ?? {}
  const version = `${generation} ${records}`
  const had = known.get(run)
  if (had?.version === version) return had.steps
  const steps = run.answerer
    .ask('steps', {})
    .then(({ t, until, busy, waiting }) => ({
      busy: { t, until, values: busy },
      waiting: { t, until, values: waiting },
    }))
  known.set(run, { version, steps })
  // A failed request is not cached, so the next call sends a request again.
  steps.catch(() => known.delete(run))
  return steps
}
