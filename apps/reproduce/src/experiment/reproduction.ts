import type { Experiment } from './experiment.ts'

/** A figure or table of a paper that can be made again. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Where in which paper. */
  readonly source: string
  readonly produce: Experiment
}
