import { OptionError } from '@cloister/run'
import { attempt } from '@cloister/run/node'
import type { Shard } from '@cloister/sweep'
import { ConfigProvider, Effect, Option } from 'effect'
import { remark } from '../terminal/output.ts'

/** Returns the shard of this process from `--shard` or from a batch system, or undefined for the whole experiment. */
export const givenShard = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value === 'none' ? undefined : yield* attempt(() => parseShard(given.value))
  const found = yield* environment.pipe(Effect.flatMap((read) => attempt(() => shardOfEnvironment(read))))
  if (found === undefined) return undefined
  yield* remark(`this process runs shard ${found.index}/${found.count}, by ${found.from}; --shard none runs all cells`)
  const shard: Shard = { index: found.index, count: found.count }
  return shard
})

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

const environment = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const values = new Map<string, string>()
  for (const name of variables) {
    const found = yield* provider.load([name]).pipe(Effect.orElseSucceed(() => undefined))
    if (found?._tag === 'Value') values.set(name, found.value)
  }
  const read: Environment = (name) => values.get(name)
  return read
})

/** Function that returns the value of an environment variable, or undefined for an unset variable. */
type Environment = (name: string) => string | undefined

/** Environment variable with the number of shards, for batch systems that give a task only its own number. */
const shardsVariable = 'CLOISTER_SHARDS'

/** Parses the value `I/N` of `--shard`. @throws OptionError unless I is from 1 to N */
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
export function shardOfEnvironment(read: Environment): (Shard & { readonly from: string }) | undefined {
  const tasks = slurmArray(read) ?? indexed(read, 'JOB_COMPLETION_INDEX') ?? indexed(read, 'HQ_TASK_ID')
  const ranks = mpiRanks(read)
  if (tasks === undefined || ranks === undefined || ranks.count === 1) return tasks ?? ranks
  return {
    index: (tasks.index - 1) * ranks.count + ranks.index,
    count: tasks.count * ranks.count,
    from: `${tasks.from} and ${ranks.from}`,
  }
}

type Found = Shard & { readonly from: string }

function slurmArray(read: Environment): Found | undefined {
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
function indexed(read: Environment, from: string): Found | undefined {
  const id = whole(read, from)
  if (id === undefined) return undefined
  const count = whole(read, shardsVariable)
  if (count === undefined || count === 0) return unknown(from, `${shardsVariable} is not set`)
  return { index: (id % count) + 1, count, from }
}

function mpiRanks(read: Environment): Found | undefined {
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
