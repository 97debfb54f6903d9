import { attempt } from '@cloister/run/node'
import {
  parseSacct,
  parseSinfo,
  parseSqueue,
  sacctArguments,
  separatorOf,
  sinfoArguments,
  SlurmCommands,
  squeueArguments,
} from '@cloister/slurm'
import { Effect } from 'effect'
import { randomBytes } from 'node:crypto'
import type { ClusterSource, Seen, Watched } from './cluster-source.ts'

/** Creates a source of the cluster's state that runs `squeue`, `sinfo`, `sacct` and `scontrol`. */
export const commandsSource = Effect.fnUntraced(function* ({ nodeIds, nodes, partitions }: Watched) {
  const slurm = yield* SlurmCommands
  const ofQueue = partitions.length === 0 ? [] : [`--partition=${partitions.join()}`]
  const ofAccounting = partitions.length === 0 ? [] : ['-r', partitions.join()]
  return {
    look: Effect.gen(function* () {
      const separator = yield* newSeparator
      const jobs = yield* slurm.ask('squeue', [...squeueArguments(separator), ...ofQueue])
      const states = yield* slurm.ask('sinfo', sinfoArguments(partitions))
      return yield* attempt((): Seen => ({
        rows: parseSqueue(jobs, separator),
        down: parseSinfo(states, nodeIds, nodes),
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

/** Draws a separator of fields for each query, so that no job can contain the separator by intention. */
const newSeparator = Effect.sync(() => separatorOf(randomBytes(8).toString('hex')))
