import type { QueueOptions } from '@cloister/kernel'
import type { GivenSpec } from '@cloister/run'
import type { Experiment } from './experiment.ts'

/** Queue discipline with its options. */
export type Discipline = { readonly queue: string } & Pick<GivenSpec, keyof QueueOptions>

/** Reason why a reproduction writes no event log. Without a log there is nothing to audit and nothing to keep. */
export interface WithoutLogs {
  /** Kind of the runs. `timed`: runs of `simulate` without a log; `none`: no runs of `simulate`. */
  readonly runs: 'timed' | 'none'
  /** Clause for a sentence that begins with "writes no event log:". */
  readonly reason: string
}

/** Reproducible figure or table of a paper. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Paper, with its section, figure or table. */
  readonly source: string
  readonly produce: Experiment
  /** Queue discipline of the runs that are the project's own; undefined if the reproduction has no single one. */
  readonly discipline?: Discipline
  /** Undefined if every run writes an event log. */
  readonly withoutLogs?: WithoutLogs
}
