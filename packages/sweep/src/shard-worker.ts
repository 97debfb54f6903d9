import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect } from 'effect'
import type { CellResult } from './cell-result.ts'
import { type CellWatcher, CellWorkers } from './cell-workers.ts'
import { Claims, Heartbeat, MOST_ATTEMPTS } from './claims.ts'
import type { Cell, ExperimentOptions } from './experiment.ts'
import type { FailedRun } from './failed-runs.ts'
import { ResultsRead } from './results-read.ts'
import { cellsOfShard, type CellTask, ClaimingQueue, FixedQueue, type Shard } from './shard-queue.ts'
import { newWorkerName, type SweepFolder, WorkerFiles } from './sweep-folder.ts'

/** Settings of a worker of a sweep. */
export interface WorkerOptions extends ExperimentOptions {
  readonly shard: Shard
  /** Seconds without a heartbeat until a worker counts as gone, equal for all workers of the sweep. */
  readonly leaseSeconds: number
}

/** Settings of a worker that takes cells. */
export interface ShardOptions extends WorkerOptions {
  /** True to claim cells one by one, from all shards; false to run only cells of the own shard. */
  readonly claim: boolean
  /** True to run failed cells again, besides the cells with neither result nor failure. */
  readonly retry: boolean
}

/** Joins a sweep as a worker: creates the folder of the sweep, and writes heartbeats until the scope ends. */
export const joinSweep = Effect.fnUntraced(function* (
  folder: SweepFolder,
  { shard, workers, leaseSeconds }: WorkerOptions,
) {
  yield* attempt(() => folder.make())
  const name = newWorkerName()
  const heartbeat = new Heartbeat(folder, name, `${shard.index}/${shard.count}`, workers)
  const beat = (ended?: boolean): number | undefined => {
    try {
      return heartbeat.beat(ended)
    } catch {
      // Ignores an error such as a full disk, because the writing of the next result reports the same error.
      return undefined
    }
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      beat()
      return setInterval(beat, Math.min((leaseSeconds * 1000) / 6, 20_000))
    }),
    (timer) =>
      Effect.sync(() => {
        clearInterval(timer)
        beat(true)
      }),
  )
  const files = yield* Effect.acquireRelease(
    Effect.sync(() => new WorkerFiles(folder, name)),
    (open) => Effect.sync(() => open.close()),
  )
  return { name, heartbeat, files, now: () => beat() ?? folder.now() }
})

/** Summary of the work of one worker. */
export interface ShardOutcome {
  readonly folder: string
  readonly worker: string
  readonly shard: string
  readonly ran: number
  readonly failed: ReadonlyArray<FailedRun>
  /** Results whose audit failed. */
  readonly suspect: ReadonlyArray<CellResult>
}

/** Reason of failure of a cell at which `MOST_ATTEMPTS` workers ended. */
export const hopeless: string = `${MOST_ATTEMPTS} workers ended while running the cell, perhaps killed because of too much memory or time`

/** Joins a sweep as a worker. Returns functions that run a cell, note a failure, and sum up the work. */
export const startWorker = Effect.fnUntraced(function* (folder: SweepFolder, options: WorkerOptions) {
  const { makeFolder } = yield* Files
  const { shard, keepLogs, workers } = options
  if (keepLogs !== undefined) yield* attempt(() => makeFolder(keepLogs))
  const { name, heartbeat, files, now } = yield* joinSweep(folder, options)
  const failed: Array<FailedRun> = []
  const suspect: Array<CellResult> = []
  let ran = 0
  const fail = ({ cell, digest, attempt: at }: CellTask, reason: string) =>
    attempt(() => {
      failed.push({ cell, reason })
      files.addFailure({ cell: digest, attempt: at, reason })
    })
  const pool = yield* (yield* CellWorkers).pool(workers)
  /** @param isOwn returns false if another worker has taken the cell over; default: always true */
  const run = Effect.fnUntraced(function* (task: CellTask, watcher: CellWatcher, isOwn = () => true) {
    heartbeat.at(task.digest, 0)
    const answer = yield* pool.run({ cell: task.cell, options }, (share) => {
      heartbeat.at(task.digest, share)
      watcher.onShare(task.cell, share)
    })
    yield* Effect.forEach(answer.remarks, watcher.remark)
    if (!isOwn())
      yield* watcher.remark(
        `another worker runs the cell ${task.digest}, because this worker could not renew its claim; the result is left out`,
      )
    else if (answer.type === 'failed') yield* fail(task, answer.reason)
    else {
      yield* attempt(() => files.add(answer.result, answer.times))
      ran++
      if (answer.result.audit?.ok === false) suspect.push(answer.result)
    }
    heartbeat.leave(task.digest)
    watcher.onEnd(task.cell)
  })
  const outcome = (): ShardOutcome => ({
    folder: folder.path,
    worker: name,
    shard: `${shard.index}/${shard.count}`,
    ran,
    failed,
    suspect,
  })
  return { name, now, run, fail, outcome }
})

/**
 * Runs the cells of a shard that have neither a result nor a failure, or with `claim` such cells of all shards. All
 * workers share the folder.
 * `begin` is called once with the number of cells (undefined with `claim`), and returns the receiver of progress and
 * remarks.
 */
export const runShard = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: ShardOptions,
  begin: (cells: number | undefined) => Effect.Effect<CellWatcher>,
) {
  const { workers } = options
  const { name, now, run, fail, outcome } = yield* startWorker(folder, options)
  const queue = yield* queueOf(cells, folder, name, options)
  const watcher = yield* begin(queue instanceof FixedQueue ? queue.size : undefined)
  const serve = Effect.fnUntraced(function* () {
    for (;;) {
      const task = yield* attempt(() => queue.next(now))
      if (task === undefined) return
      if (task === 'wait') yield* Effect.sleep(`${Math.ceil(options.leaseSeconds * 100)} millis`)
      else if (queue instanceof FixedQueue) yield* run(task, watcher)
      else {
        if (queue.isHopeless(task)) yield* fail(task, hopeless)
        else yield* run(task, watcher, () => queue.holds(task))
        queue.leave(task)
      }
    }
  })
  yield* Effect.all(Array.from({ length: workers }, serve), { concurrency: workers, discard: true })
  return outcome()
}, Effect.scoped)

const queueOf = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  worker: string,
  { shard, claim, retry, leaseSeconds }: ShardOptions,
) {
  const read = new ResultsRead(folder)
  yield* attempt(() => read.refresh())
  if (!claim) return new FixedQueue(cellsOfShard(cells, shard), read, retry)
  const claims = new Claims(folder, worker, leaseSeconds)
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(() => claims.renew(), (leaseSeconds * 1000) / 5)),
    (timer) => Effect.sync(() => clearInterval(timer)),
  )
  return new ClaimingQueue(folder, cells, read, claims, { shard, retry, leaseSeconds })
})
