import { attempt, type TaggedProblem } from '@cloister/run'
import {
  NodeIds,
  parseSacct,
  parseSinfo,
  parseSqueue,
  sacctArguments,
  sinfoArguments,
  squeueArguments,
} from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import type { AccountingRow } from '@cloister/trace-io'
import type { Anonymiser } from '@cloister/workload'
import { Clock, Effect } from 'effect'
import { newSeparator, remark, Reporter, untilAnswered } from '../polling.ts'
import { type SlurmCommandError, SlurmCommands } from '../programs.ts'

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

/**
 * Creates a source of the cluster's state that runs `squeue`, `sinfo`, `sacct` and `scontrol`. `partitions` has the
 * names of the observed partitions; without a name the source observes all partitions.
 */
export const commandsSource = Effect.fnUntraced(function* (topology: Topology, partitions: ReadonlyArray<string>) {
  const slurm = yield* SlurmCommands
  const nodeIds = new NodeIds(topology)
  const ofQueue = partitions.length === 0 ? [] : [`--partition=${partitions.join()}`]
  const ofAccounting = partitions.length === 0 ? [] : ['-r', partitions.join()]
  return {
    look: Effect.gen(function* () {
      const separator = yield* newSeparator
      const jobs = yield* slurm.ask('squeue', [...squeueArguments(separator), ...ofQueue])
      const states = yield* slurm.ask('sinfo', sinfoArguments(partitions))
      return yield* attempt((): Seen => ({
        rows: parseSqueue(jobs, separator),
        down: parseSinfo(states, nodeIds, topology.nodes),
      }))
    }),
    accounting: Effect.fnUntraced(function* (seconds: number) {
      const separator = yield* newSeparator
      const since = ['-S', `now-${seconds}seconds`, '-E', 'now']
      const text = yield* slurm.ask('sacct', [...sacctArguments(separator), ...since, ...ofAccounting])
      return yield* attempt(() => parseSacct(text, separator))
    }),
    minJobAge: slurm.ask('scontrol', ['-o', 'show', 'config']).pipe(
      Effect.orElseSucceed(() => ''),
      Effect.map((text) => {
        const [, seconds] = /MinJobAge\s*=\s*(\d+)/.exec(text) ?? []
        return seconds === undefined ? undefined : Number(seconds)
      }),
    ),
  } satisfies ClusterSource
})

/** Source of a cluster's state, and the anonymiser of names of people (default: the names stay). */
export interface Subject {
  readonly source: ClusterSource
  readonly anonymiser?: Anonymiser | undefined
}

/** State of a cluster, with the time at which Slurm was queried. */
export interface TimedState extends Seen {
  /** Time of the query in Unix seconds. */
  readonly at: number
}

/** Queries a cluster's state until Slurm answers or fails for good. Remarks tell when failed queries begin and end. */
export function look({ source, anonymiser }: Subject) {
  const once = Effect.gen(function* () {
    const at = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const { rows, down } = yield* source.look
    return { at, rows: named(rows, anonymiser), down } satisfies TimedState
  })
  return untilAnswered(
    once,
    { first: '1 second', longest: '30 seconds' },
    ({ command, reason }) => `${command}: ${reason}; the query is repeated until Slurm answers`,
  )
}

/** Queries Slurm's accounting of the last `seconds` seconds. After a failure, prints a remark and returns undefined. */
export const askAccounting = Effect.fnUntraced(function* ({ source, anonymiser }: Subject, seconds: number) {
  const { describe } = yield* Reporter
  return yield* source.accounting(Math.max(1, Math.ceil(seconds))).pipe(
    Effect.map((rows) => named(rows, anonymiser)),
    Effect.catch((error) =>
      remark(`${describe(error)}; the ends of jobs that the controller has forgotten are unknown`).pipe(
        Effect.as(undefined),
      ),
    ),
  )
})

function named(rows: ReadonlyArray<AccountingRow>, anonymiser: Anonymiser | undefined): ReadonlyArray<AccountingRow> {
  return anonymiser === undefined ? rows : rows.map((row) => ({ ...row, labels: anonymiser.labels(row.labels) }))
}
