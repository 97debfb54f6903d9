import { type NodeIds, SlurmCommands } from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { Data, Effect } from 'effect'

/** Partition of Slurm whose jobs a controller places, with its machine. */
export interface Partition {
  readonly name: string
  readonly topology: Topology
  readonly nodeIds: NodeIds
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

/** Fails if Slurm has no such partition, or if the partition lets jobs share nodes or has a block topology. */
export const checkPartition = Effect.fnUntraced(function* (partition: string) {
  const refuse = (reason: string): PartitionError => new PartitionError({ partition, reason })
  if (!plainName.test(partition))
    return yield* refuse('its name must have 1 to 64 letters, digits, dots, hyphens or underscores')
  const slurm = yield* SlurmCommands
  const shown = yield* slurm
    .ask('scontrol', ['-o', 'show', 'partition', partition])
    .pipe(Effect.catch((error) => (error.mayPass ? Effect.succeed('') : Effect.fail(error))))
  if (!new RegExp(`\\bPartitionName=${partition.replaceAll('.', '\\.')}(?:\\s|$)`).test(shown))
    return yield* refuse('Slurm has no partition of this name, or does not answer')
  const [, sharing = 'NO'] = /\bOverSubscribe=(\S+)/.exec(shown) ?? []
  if (/^(?:YES|FORCE)/.test(sharing))
    return yield* refuse(`its jobs share nodes (OverSubscribe=${sharing}), and a policy gives each node to one job`)
  const config = yield* slurm.ask('scontrol', ['-o', 'show', 'config'])
  const [, own] = /\bTopology=(\S+)/.exec(shown) ?? []
  const topology = yield* slurm
    .ask('scontrol', ['show', 'topology', ...(own === undefined || !plainName.test(own) ? [] : [own])])
    .pipe(Effect.catch(() => Effect.succeed('')))
  if ((own === undefined && /TopologyPlugin\s*=\s*topology\/block/.test(config)) || /\bBlockName=/.test(topology))
    return yield* refuse(
      'its topology is topology/block, under which Slurm refuses lists of nodes in several blocks (BadConstraints); with tree or flat topology Slurm takes such lists',
    )
})
