import type { TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import type { Report } from '../report/report.ts'
import type { Runs } from './runs.ts'
import type { Traces } from './traces.ts'

/** Runs what can be run of an experiment with the traces at hand, and reports on it. */
export type Experiment = Effect.Effect<Report, TaggedProblem, Runs | Traces>

/** The same, its code loaded when it is run: who only lists what there is does without. */
export function onDemand(load: () => Promise<Experiment>): Experiment {
  return Effect.flatten(Effect.promise(load))
}
