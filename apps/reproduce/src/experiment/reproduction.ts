import type { GivenSpec, QueueOptions } from '@cloister/run'
import type { Experiment } from './experiment.ts'

/** The options of a run that say who is tried when. */
export type Discipline = { readonly queue: string } & Pick<GivenSpec, keyof QueueOptions>

/** A figure or table of a paper that can be made again. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Where in which paper. */
  readonly source: string
  readonly produce: Experiment
  /** Under which queue discipline what is ours was run, where it is one. */
  readonly discipline?: Discipline
}
