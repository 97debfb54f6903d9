import type { GivenSpec, QueueOptions } from '@cloister/run'
import type { Experiment } from './experiment.ts'

/** The options of a run that say who is tried when. */
export type Discipline = { readonly queue: string } & Pick<GivenSpec, keyof QueueOptions>

/** Reason why a reproduction writes no event log. Without a log there is nothing to audit and nothing to keep. */
export interface WithoutLogs {
  /** `timed`: its runs are those of `simulate`, without a log; `none`: it has no runs of `simulate`. */
  readonly runs: 'timed' | 'none'
  /** A clause that stands behind "writes no event log:". */
  readonly reason: string
}

/** A figure or table of a paper that can be made again. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Where in which paper. */
  readonly source: string
  readonly produce: Experiment
  /** Under which queue discipline what is ours was run, where it is one. */
  readonly discipline?: Discipline
  /** Undefined: each of its runs writes an event log. */
  readonly withoutLogs?: WithoutLogs
}
