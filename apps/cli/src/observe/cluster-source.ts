import type { NodeIds, SlurmCommandError } from '@cloister/slurm'
import type { AccountingRow } from '@cloister/trace-io'
import type { TaggedProblem } from '@cloister/run'
import type { Effect } from 'effect'

/** What of a cluster is watched. */
export interface Watched {
  readonly nodeIds: NodeIds
  readonly nodes: number
  /** Of these alone; all where there are none. */
  readonly partitions: ReadonlyArray<string>
}

/** What the controller knows at a time. */
export interface Seen {
  readonly rows: ReadonlyArray<AccountingRow>
  /** Nodes that are of use to no job, ascending. */
  readonly down: Int32Array
}

/** Who tells what a cluster does: Slurm's commands, or its REST API. */
export interface ClusterSource {
  /** Now. */
  readonly look: Effect.Effect<Seen, SlurmCommandError | TaggedProblem>
  /** What the accounting says of the last so many seconds. */
  readonly accounting: (
    seconds: number,
  ) => Effect.Effect<ReadonlyArray<AccountingRow>, SlurmCommandError | TaggedProblem>
  /** For how many seconds the controller knows a job that has ended; undefined where it does not say. */
  readonly minJobAge: Effect.Effect<number | undefined>
}
