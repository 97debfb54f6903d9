import type { QueueOptions } from '@cloister/kernel'
import type { GivenSpec } from '@cloister/run'
import type { Experiment } from './experiment.ts'

/** Queue discipline with its options. */
export type Discipline = { readonly queue: string } & Pick<GivenSpec, keyof QueueOptions>

/** Reason why a reproduction writes no event log. `cloister reproduce` then refuses `--audit` and `--keep-logs`. */
export interface WithoutLogs {
  /** Kind of the runs. `timed`: runs of `simulate` without a log; `none`: no runs of `simulate`. */
  readonly runs: 'timed' | 'none'
  /** Clause after "writes no event log:" in the message of the refusal. */
  readonly reason: string
}

/** Reproducible figure or table of a paper, or an experiment of our own. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Paper, with its section, figure or table. */
  readonly source: string
  readonly produce: Experiment
  /** Queue discipline of ours, for `--print-queue`; undefined if the runs have a paper's discipline or several. */
  readonly discipline?: Discipline
  /** Reason why the runs write no event log; absent if every run writes an event log. */
  readonly withoutLogs?: WithoutLogs
}
