import { describeSpec, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'
import type { CellResult } from '../sweep/cell-result.ts'
import { CellWorkers } from '../sweep/cell-workers.ts'
import type { ExperimentOptions } from '../sweep/run-experiment.ts'
import type { SweepProgress } from '../sweep/sweep-progress.ts'
import { remark } from '../terminal/output.ts'
import { MOST_ATTEMPTS } from './claims.ts'
import { Heartbeat } from './heartbeat.ts'
import type { Shard } from './shard.ts'
import type { CellTask } from './shard-queue.ts'
import { newWorkerName, type SweepFolder } from './sweep-folder.ts'
import { WorkerFiles } from './worker-files.ts'

export interface ShardOptions extends ExperimentOptions {
  readonly shard: Shard
  /** Value of `--claim`: true to claim cells one by one, from all shards; false to run only cells of the own shard. */
  readonly claim: boolean
  readonly leaseSeconds: number
  /** Value of `--retry`: true to run failed cells again, besides the cells with neither result nor failure. */
  readonly retry: boolean
}

/** Joins a sweep as a worker: creates the folder of the sweep, and writes heartbeats until the scope ends. */
export const joinSweep = Effect.fnUntraced(function* (folder: SweepFolder, shard: Shard, options: ShardOptions) {
  yield* attempt(() => folder.make())
  const name = newWorkerName()
  const heartbeat = new Heartbeat(folder, name, `${shard.index}/${shard.count}`, options.workers)
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
      return setInterval(beat, Math.min((options.leaseSeconds * 1000) / 6, 20_000))
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
  readonly failed: ReadonlyArray<{ readonly cell: RunSpec; readonly reason: string }>
  /** Results whose audit failed. */
  readonly suspect: ReadonlyArray<CellResult>
}

/** Reason of failure of a cell at which `MOST_ATTEMPTS` workers ended. */
export const hopeless: string = `${MOST_ATTEMPTS} workers ended while running the cell, perhaps killed because of too much memory or time`

/** Joins a sweep as a worker. Returns functions that run a cell, note a failure, and finish the work. */
export const startWorker = Effect.fnUntraced(function* (folder: SweepFolder, options: ShardOptions) {
  const { makeFolder } = yield* Files
  const { shard, keepLogs, workers } = options
  if (keepLogs !== undefined) yield* attempt(() => makeFolder(keepLogs))
  const { name, heartbeat, files, now } = yield* joinSweep(folder, shard, options)
  const failed: Array<ShardOutcome['failed'][number]> = []
  const suspect: Array<CellResult> = []
  const said = new Set<string>()
  let ran = 0
  const fail = ({ cell, digest, attempt: at }: CellTask, reason: string) =>
    attempt(() => {
      failed.push({ cell, reason })
      files.addFailure({ cell: digest, attempt: at, reason })
    })
  const pool = yield* (yield* CellWorkers).pool(workers)
  const run = Effect.fnUntraced(function* (task: CellTask, progress: SweepProgress | undefined) {
    heartbeat.at(task.digest, 0)
    const answer = yield* pool.run({ cell: task.cell, options }, (share) => {
      heartbeat.at(task.digest, share)
      progress?.update(task.cell, share)
    })
    for (const text of answer.remarks.filter((each) => !said.has(each))) {
      said.add(text)
      yield* remark(text)
    }
    if (answer.type === 'failed') yield* fail(task, answer.reason)
    else {
      yield* attempt(() => files.add(answer.result, answer.times))
      ran++
      if (answer.result.audit?.ok === false) suspect.push(answer.result)
    }
    heartbeat.leave(task.digest)
    progress?.finished(task.cell)
  })
  const finish = Effect.fnUntraced(function* () {
    for (const { cell, reason } of failed) yield* remark(`failed: ${describeSpec(cell)}: ${reason}`)
    const outcome: ShardOutcome = {
      folder: folder.path,
      worker: name,
      shard: `${shard.index}/${shard.count}`,
      ran,
      failed,
      suspect,
    }
    return outcome
  })
  return { name, now, run, fail, finish }
})
