import type { QueueOptions } from '@cloister/kernel'
import type { GivenSpec } from '@cloister/run'
import type { Experiment } from './experiment.ts'

/** Queue discipline with its options. */
export type Discipline = { readonly queue: string } & Pick<GivenSpec, keyof QueueOptions>

/** Reason why a reproduction writes no event log. `cloister reproduce` refuses `--audit` and `--keep-logs` for it. */
export interface WithoutLogs {
  /** Kind of the runs. `timed`: runs of `simulate` without a log; `none`: no runs of `simulate`. */
  readonly runs: 'timed' | 'none'
  /** Clause for a sentence that begins with "writes no event log:". */
  readonly reason: string
}

/** Reproducible figure or table of a paper, or an experiment of our own. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Paper, with its section, figure or table. */
  readonly source: string
  readonly produce: Experiment
  /** Our own queue discipline, printed by `--print-queue`; undefined if the runs have other or several disciplines. */
  readonly discipline?: Discipline
  /** Reason why the runs write no event log; absent if every run writes an event log. */
  readonly withoutLogs?: WithoutLogs
}
