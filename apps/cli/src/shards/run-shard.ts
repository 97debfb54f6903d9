import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { SweepProgress } from '../sweep/sweep-progress.ts'
import { makeProgress } from '../terminal/progress.ts'
import { Claims } from './claims.ts'
import { type Cell, cellsOfShard } from './cells.ts'
import { ResultsRead } from './results-read.ts'
import { ClaimingQueue, FixedQueue } from './shard-queue.ts'
import { hopeless, type ShardOptions, startWorker } from './shard-worker.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Runs the cells that `OpenCells` allows, of a shard, or with `claim` of all shards. All workers share the folder. */
export const runShard = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: ShardOptions,
) {
  const { workers } = options
  const { name, now, run, fail, finish } = yield* startWorker(folder, options)
  const { queue, progress } = yield* queueOf(cells, folder, name, options)
  const serve = Effect.fnUntraced(function* () {
    for (;;) {
      const task = yield* attempt(() => queue.next(now))
      if (task === undefined) return
      if (task === 'wait') yield* Effect.sleep(`${Math.ceil(options.leaseSeconds * 100)} millis`)
      else if (queue instanceof ClaimingQueue && queue.isHopeless(task)) yield* fail(task, hopeless)
      else yield* run(task, progress)
    }
  })
  yield* Effect.all(Array.from({ length: workers }, serve), { concurrency: workers, discard: true })
  progress?.clear()
  return yield* finish()
}, Effect.scoped)

const queueOf = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  worker: string,
  { shard, claim, retry, leaseSeconds }: ShardOptions,
) {
  const read = new ResultsRead(folder)
  yield* attempt(() => read.refresh())
  if (!claim) {
    const queue = new FixedQueue(cellsOfShard(cells, shard), read, retry)
    return { queue, progress: new SweepProgress(queue.size, yield* makeProgress) }
  }
  const claims = new Claims(folder, worker, leaseSeconds)
  yield* attempt(() => claims.refresh())
  return { queue: new ClaimingQueue(folder, cells, read, claims, { shard, retry, leaseSeconds }), progress: undefined }
})
