import type { NodeIds, SlurmCommandError } from '@cloister/slurm'
import type { AccountingRow } from '@cloister/trace-io'
import type { TaggedProblem } from '@cloister/run'
import type { Effect } from 'effect'

/** Nodes and partitions of a cluster that `cloister observe` observes. */
export interface Watched {
  readonly nodeIds: NodeIds
  readonly nodes: number
  /** Names of the observed partitions, empty to observe all partitions. */
  readonly partitions: ReadonlyArray<string>
}

/** State of a cluster at one time, as Slurm's controller reports it. */
export interface Seen {
  readonly rows: ReadonlyArray<AccountingRow>
  /** Ids of the nodes that no job can use, ascending. */
  readonly down: Int32Array
}

/** Source of the state of a cluster: the commands of Slurm, or slurmrestd. */
export interface ClusterSource {
  /** Queries the current state of the cluster. */
  readonly look: Effect.Effect<Seen, SlurmCommandError | TaggedProblem>
  /** Queries the rows of Slurm's accounting for the last `seconds` seconds. */
  readonly accounting: (
    seconds: number,
  ) => Effect.Effect<ReadonlyArray<AccountingRow>, SlurmCommandError | TaggedProblem>
  /** Time in seconds for which the controller remembers an ended job (MinJobAge), or undefined if unknown. */
  readonly minJobAge: Effect.Effect<number | undefined>
}
