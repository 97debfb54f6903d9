import type { Effect } from 'effect'
import type { Report } from '../report/report.ts'
import type { ExperimentError } from './experiment-error.ts'
import type { Runs } from './runs.ts'
import type { Traces } from './traces.ts'

/** A figure or table of a paper that can be made again. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Where in which paper. */
  readonly source: string
  /** Runs what of it can be run with the traces at hand. */
  readonly produce: Effect.Effect<Report, ExperimentError, Runs | Traces>
}
