import { attempt, OptionError, type TaggedProblem } from '@cloister/run'
import { ConfigProvider, Effect } from 'effect'
import type { Shard } from './shard-queue.ts'

const variables = [
  'SLURM_ARRAY_TASK_ID',
  'SLURM_ARRAY_TASK_MIN',
  'SLURM_ARRAY_TASK_MAX',
  'SLURM_ARRAY_TASK_STEP',
  'SLURM_ARRAY_TASK_COUNT',
  'JOB_COMPLETION_INDEX',
  'HQ_TASK_ID',
  'PMI_RANK',
  'PMI_SIZE',
  'CLOISTER_SHARDS',
]

/** Returns the shard by `shardOfEnvironment` for the environment variables of this process. Fails with an OptionError. */
export const shardOfBatchSystem: Effect.Effect<BatchShard | undefined, TaggedProblem> = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const values = new Map<string, string>()
  for (const name of variables) {
    const found = yield* provider.load([name]).pipe(Effect.orElseSucceed(() => undefined))
    if (found?._tag === 'Value') values.set(name, found.value)
  }
  return yield* attempt(() => shardOfEnvironment((name) => values.get(name)))
})

/** Function that returns the value of an environment variable, or undefined for an unset variable. */
type Environment = (name: string) => string | undefined

/** Environment variable with the number of shards, for batch systems that give a task only its own number. */
const shardsVariable = 'CLOISTER_SHARDS'

/** Shard, with the names of the environment variables that assign the shard. */
export interface BatchShard extends Shard {
  readonly from: string
}

/** Parses the text `I/N` of a shard. @throws OptionError unless I is from 1 to N */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,7})\/(\d{1,7})$/.exec(text)
  const [index, count] = match === null ? [NaN, NaN] : [Number(match[1]), Number(match[2])]
  if (!(index >= 1 && index <= count))
    throw new OptionError({
      option: 'shard',
      reason: `found ${JSON.stringify(text)}, expected I/N with I from 1 to N, such as 1/8`,
    })
  return { index, count }
}

/**
 * Returns the shard that a batch system assigns by environment variables, with the names of the variables in `from`;
 * undefined without such variables. Each MPI rank within a task of a job array is a separate shard.
 * @throws OptionError if the variables do not tell the number of shards, or contradict each other
 */
export function shardOfEnvironment(read: Environment): BatchShard | undefined {
  const tasks = slurmArray(read) ?? indexed(read, 'JOB_COMPLETION_INDEX') ?? indexed(read, 'HQ_TASK_ID')
  const ranks = mpiRanks(read)
  if (tasks === undefined || ranks === undefined || ranks.count === 1) return tasks ?? ranks
  return {
    index: (tasks.index - 1) * ranks.count + ranks.index,
    count: tasks.count * ranks.count,
    from: `${tasks.from} and ${ranks.from}`,
  }
}

function slurmArray(read: Environment): BatchShard | undefined {
  const from = 'SLURM_ARRAY_TASK_ID'
  const id = whole(read, from)
  if (id === undefined || read(shardsVariable) !== undefined) return indexed(read, from)
  const [min, max, step, count] = ['MIN', 'MAX', 'STEP', 'COUNT'].map((name) => whole(read, `SLURM_ARRAY_TASK_${name}`))
  if (min === undefined || count === undefined)
    return unknown(from, 'SLURM_ARRAY_TASK_MIN and SLURM_ARRAY_TASK_COUNT are not set')
  const stride = step ?? 1
  const index = (id - min) / stride + 1
  if (!Number.isInteger(index) || index > count || (max !== undefined && (max - min) / stride + 1 !== count))
    return unknown(from, 'the numbers of the tasks have no constant distance')
  return { index, count, from }
}

/** Task numbers of a batch system may begin at 0 or at 1: the number modulo the count of shards decides the index. */
function indexed(read: Environment, from: string): BatchShard | undefined {
  const id = whole(read, from)
  if (id === undefined) return undefined
  const count = whole(read, shardsVariable)
  if (count === undefined || count === 0) return unknown(from, `${shardsVariable} is not set`)
  return { index: (id % count) + 1, count, from }
}

function mpiRanks(read: Environment): BatchShard | undefined {
  const [rank, size] = [whole(read, 'PMI_RANK'), whole(read, 'PMI_SIZE')]
  if (rank === undefined || size === undefined || rank >= size) return undefined
  return { index: rank + 1, count: size, from: 'PMI_RANK' }
}

function whole(read: Environment, name: string): number | undefined {
  const text = read(name)
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function unknown(from: string, reason: string): never {
  throw new OptionError({
    option: 'shard',
    reason: `${from} does not tell the number of shards (${reason}); give --shard I/N or ${shardsVariable}, or --shard none for all cells`,
  })
}
