import type { TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import type { Report } from '../report/report.ts'
import type { Runs } from './runs.ts'
import type { Traces } from './traces.ts'

/** Program that runs an experiment on the job logs at hand, and returns the experiment's report. */
export type Experiment = Effect.Effect<Report, TaggedProblem, Runs | Traces>

/** Returns an experiment whose code is loaded when the experiment runs, so that a list of experiments loads no code. */
export function onDemand(load: () => Promise<Experiment>): Experiment {
  return Effect.flatten(Effect.promise(load))
}
