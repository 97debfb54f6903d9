import { randomBytes } from 'node:crypto'
import {
  drivenJobsArguments,
  endedJob,
  parseDrivenJobs,
  parseSacct,
  parseSinfo,
  sacctArguments,
  separatorOf,
  SlurmCommandError,
  SlurmCommands,
  type SlurmJob,
  sinfoArguments,
  type UnreadJob,
} from '@cloister/slurm'
import { attempt, type TaggedProblem } from '@cloister/run'
import { Clock, Console, Effect, Schedule } from 'effect'
import { type Observation, unreadDefect } from '../decide/observation.ts'
import type { Partition } from './partition.ts'

/**
 * Asks Slurm for the nodes of the partition, and for the jobs of all partitions, because any job may run on these
 * nodes.
 */
const lookOnce = Effect.fnUntraced(function* ({ name, nodeIds, topology }: Partition) {
  const slurm = yield* SlurmCommands
  const at = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const separator = yield* newSeparator
  const jobs = yield* slurm.ask('squeue', drivenJobsArguments(separator))
  const states = yield* slurm.ask('sinfo', sinfoArguments([name]))
  return yield* attempt((): Omit<Observation, 'now'> => ({
    ...parseDrivenJobs(jobs, separator, nodeIds, at),
    useless: parseSinfo(states, nodeIds, topology.nodes),
  }))
})

const newSeparator = Effect.sync(() => separatorOf(randomBytes(8).toString('hex')))

/** Asks Slurm for jobs and nodes until Slurm answers. Prints the first failure, and the first answer after failures. */
export const look = Effect.fnUntraced(function* (partition: Partition) {
  let failed = false
  const seen = yield* lookOnce(partition).pipe(
    Effect.tapError((error) => {
      if (failed || !mayPass(error)) return Effect.void
      failed = true
      return Console.error(`${error.command}: ${oneLine(error.reason)}; Slurm is asked again until Slurm answers`)
    }),
    Effect.retry({
      while: mayPass,
      schedule: Schedule.min([Schedule.exponential('200 millis'), Schedule.spaced('10 seconds')]),
    }),
  )
  if (failed) yield* Console.error('Slurm answers again')
  return seen
})

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
        return Console.error(`${oneLine(reason)}; the job is left alone, and the job's nodes are unknown`)
      },
      { discard: true },
    )
  }
}

function mayPass(error: TaggedProblem): error is SlurmCommandError {
  return error instanceof SlurmCommandError && error.mayPass
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
