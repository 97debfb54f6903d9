import { attempt } from '@cloister/run'
import {
  drivenJobsArguments,
  endedJob,
  type NodeIds,
  parseDrivenJobs,
  parseSacct,
  parseSinfo,
  sacctArguments,
  sinfoArguments,
  type SlurmJob,
  type UnreadJob,
} from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { Clock, Data, Effect } from 'effect'
import { newSeparator, remark, untilAnswered } from '../polling.ts'
import { SlurmCommands } from '../programs.ts'
import { type Observation, unreadDefect } from './observations.ts'

/** Partition of Slurm whose jobs a controller places, with its machine. */
export interface Partition {
  readonly name: string
  readonly topology: Topology
  readonly nodeIds: NodeIds
}

/** Asks Slurm for the time in Unix seconds, because the clock of this host may have been set back. */
const slurmTime = Effect.gen(function* () {
  const config = yield* (yield* SlurmCommands).ask('scontrol', ['-o', 'show', 'config'])
  const [, time] = /^Configuration data as of (\d+)/.exec(config) ?? []
  return time === undefined ? Math.floor((yield* Clock.currentTimeMillis) / 1000) : Number(time)
})

/**
 * Asks Slurm for the nodes of the partition, and for the jobs of all partitions, because any job may run on these
 * nodes.
 */
const lookOnce = Effect.fnUntraced(function* ({ name, nodeIds, topology }: Partition) {
  const slurm = yield* SlurmCommands
  const at = yield* slurmTime
  const separator = yield* newSeparator
  const jobs = yield* slurm.ask('squeue', drivenJobsArguments(separator))
  const states = yield* slurm.ask('sinfo', sinfoArguments([name]))
  return yield* attempt((): Omit<Observation, 'now'> => ({
    ...parseDrivenJobs(jobs, separator, nodeIds, at),
    useless: parseSinfo(states, nodeIds, topology.nodes),
  }))
})

/** Repeats a query until Slurm answers. Prints the first failure, and the first answer after failures. */
function patiently<A, E extends { readonly _tag: string }, R>(query: Effect.Effect<A, E, R>) {
  return untilAnswered(
    query,
    { first: '200 millis', longest: '10 seconds' },
    ({ command, reason }) => `${command}: ${oneLine(reason)}; Slurm is asked again until Slurm answers`,
  )
}

/** Asks Slurm for jobs and nodes until Slurm answers. */
export function look(partition: Partition) {
  return patiently(lookOnce(partition))
}

/** Prints one message for each job with a value that cannot be parsed, unless the job is handed back. */
export class UnreadReports {
  readonly #reported = new Set<string>()

  tell(unread: ReadonlyArray<UnreadJob>, partition: string): Effect.Effect<void> {
    const own = unread.filter((job) => job.id === undefined || unreadDefect(job, partition) === undefined)
    const fresh = own.map(({ id, reason }) => ({ key: id ?? reason, reason }))
    return Effect.forEach(
      fresh.filter(({ key }) => !this.#reported.has(key)),
      ({ key, reason }) => {
        this.#reported.add(key)
        return remark(`${oneLine(reason)}; the job is left alone, and the job's nodes are unknown`)
      },
      { discard: true },
    )
  }
}

/** Returns the jobs of `ids` that have ended, from Slurm's accounting; empty if the accounting does not answer. */
export const askAccounting = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, { nodeIds }: Partition) {
  if (ids.length === 0) return []
  const slurm = yield* SlurmCommands
  const separator = yield* newSeparator
  const args = [...sacctArguments(separator), '-j', ids.join()]
  const text = yield* slurm.ask('sacct', args).pipe(Effect.catch(() => Effect.succeed('')))
  const rows = yield* Effect.try(() => parseSacct(text, separator)).pipe(Effect.catch(() => Effect.succeed([])))
  const last = new Map(rows.filter(({ jobId }) => ids.includes(jobId)).map((row) => [row.jobId, row]))
  return [...last.values()].map((row): SlurmJob => endedJob(row, nodeIds)).filter(({ phase }) => phase === 'over')
})

/** Puts a text from Slurm on one line of at most 300 characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 300)
}

/** Reason why a controller cannot place the jobs of a partition. */
export class PartitionError extends Data.TaggedError('PartitionError')<{
  readonly partition: string
  readonly reason: string
}> {
  override get message(): string {
    return `partition ${this.partition} cannot be driven: ${this.reason}`
  }
}

/** Names of partitions that are safe as arguments of commands, and as parts of arguments. */
const plainName = /^[A-Za-z0-9_.-]{1,64}$/

/**
 * Waits until Slurm answers. Fails if Slurm has no such partition, or if the partition lets jobs share nodes or has a
 * block topology.
 */
export const checkPartition = Effect.fnUntraced(function* (partition: string) {
  const refuse = (reason: string): PartitionError => new PartitionError({ partition, reason })
  if (!plainName.test(partition))
    return yield* refuse('its name must have 1 to 64 letters, digits, dots, hyphens or underscores')
  const slurm = yield* SlurmCommands
  // If the command named the partition, it would fail both for an unknown partition and without an answer of Slurm.
  const all = yield* patiently(slurm.ask('scontrol', ['-a', '-o', 'show', 'partition']))
  const shown = all.split('\n').find((line) => `${line} `.startsWith(`PartitionName=${partition} `))
  if (shown === undefined) return yield* refuse('Slurm has no partition of this name')
  const [, sharing = 'NO'] = /\bOverSubscribe=(\S+)/.exec(shown) ?? []
  if (/^(?:YES|FORCE)/.test(sharing))
    return yield* refuse(`its jobs share nodes (OverSubscribe=${sharing}), and a policy gives each node to one job`)
  const config = yield* patiently(slurm.ask('scontrol', ['-o', 'show', 'config']))
  const [, own] = /\bTopology=(\S+)/.exec(shown) ?? []
  const topology = yield* slurm
    .ask('scontrol', ['show', 'topology', ...(own === undefined || !plainName.test(own) ? [] : [own])])
    .pipe(Effect.catch(() => Effect.succeed('')))
  if ((own === undefined && /TopologyPlugin\s*=\s*topology\/block/.test(config)) || /\bBlockName=/.test(topology))
    return yield* refuse(
      'its topology is topology/block, under which Slurm refuses lists of nodes in several blocks (BadConstraints); with tree or flat topology Slurm takes such lists',
    )
})
