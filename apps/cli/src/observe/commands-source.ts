import { parseSinfo, parseSqueue, sinfoArguments, SlurmCommands, squeueArguments } from '@cloister/slurm'
import { sacctFields, sacctRows } from '@cloister/trace-io'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import type { ClusterSource, Seen, Watched } from './cluster-source.ts'

/** Asks `squeue`, `sinfo`, `sacct` and `scontrol`. */
export const commandsSource = Effect.fnUntraced(function* ({ nodeIds, nodes, partitions }: Watched) {
  const slurm = yield* SlurmCommands
  const ofQueue = partitions.length === 0 ? [] : [`--partition=${partitions.join()}`]
  const ofAccounting = partitions.length === 0 ? [] : ['-r', partitions.join()]
  return {
    look: Effect.gen(function* () {
      const jobs = yield* slurm.ask('squeue', [...squeueArguments, ...ofQueue])
      const states = yield* slurm.ask('sinfo', sinfoArguments(partitions))
      return yield* attempt((): Seen => ({ rows: parseSqueue(jobs), down: parseSinfo(states, nodeIds, nodes) }))
    }),
    accounting: (seconds) => {
      const since = ['-S', `now-${seconds}seconds`, '-E', 'now']
      const args = ['-a', '-X', '-D', '-P', '--noconvert', ...since, '-o', sacctFields.join(), ...ofAccounting]
      return slurm.ask('sacct', args).pipe(Effect.flatMap((text) => attempt(() => sacctRows(text, 'sacct'))))
    },
    minJobAge: slurm.ask('scontrol', ['-o', 'show', 'config']).pipe(
      Effect.orElseSucceed(() => ''),
      Effect.map((text) => {
        const [, seconds] = /MinJobAge\s*=\s*(\d+)/.exec(text) ?? []
        return seconds === undefined ? undefined : Number(seconds)
      }),
    ),
  } satisfies ClusterSource
})
