import type { NodeIds, SlurmCommandError } from '@cloister/slurm'
import type { AccountingRow } from '@cloister/trace-io'
import type { TaggedProblem } from '@cloister/run'
import type { Effect } from 'effect'

/** Observed part of a cluster. */
export interface Watched {
  readonly nodeIds: NodeIds
  readonly nodes: number
  /** Names of the observed partitions. Empty for all partitions. */
  readonly partitions: ReadonlyArray<string>
}

/** Knowledge of the controller at one time. */
export interface Seen {
  readonly rows: ReadonlyArray<AccountingRow>
  /** Nodes that no job can use, ascending. */
  readonly down: Int32Array
}

/** Source of a cluster's state: Slurm's commands or Slurm's REST API. */
export interface ClusterSource {
  /** Returns the current state. */
  readonly look: Effect.Effect<Seen, SlurmCommandError | TaggedProblem>
  /** Returns the rows of the accounting for the last `seconds` seconds. */
  readonly accounting: (
    seconds: number,
  ) => Effect.Effect<ReadonlyArray<AccountingRow>, SlurmCommandError | TaggedProblem>
  /** Time in seconds that the controller remembers an ended job; undefined if unknown. */
  readonly minJobAge: Effect.Effect<number | undefined>
}
