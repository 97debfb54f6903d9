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
  /** Cells are claimed one by one, and those of workers that are gone taken over; otherwise each shard has its own. */
  readonly claim: boolean
  readonly leaseSeconds: number
  /** Run what has failed, and nothing else. */
  readonly retry: boolean
}

/** A worker among the others of a sweep: its files, and the signs that it gives until the scope ends. */
export const joinSweep = Effect.fnUntraced(function* (folder: SweepFolder, shard: Shard, options: ShardOptions) {
  yield* attempt(() => folder.make())
  const name = newWorkerName()
  const heartbeat = new Heartbeat(folder, name, `${shard.index}/${shard.count}`, options.workers)
  const beat = (ended?: boolean): number | undefined => {
    try {
      return heartbeat.beat(ended)
    } catch {
      // A full disk says so where a result is to be kept.
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

/** What one worker has done. */
export interface ShardOutcome {
  readonly folder: string
  readonly worker: string
  readonly shard: string
  readonly ran: number
  readonly failed: ReadonlyArray<{ readonly cell: RunSpec; readonly reason: string }>
  /** Results whose audit found something. */
  readonly suspect: ReadonlyArray<CellResult>
}

/** Why a cell has failed that ended everybody who ran it. */
export const hopeless: string = `${MOST_ATTEMPTS} workers that ran it ended without an answer: they were killed, perhaps for want of memory or time`

/** Joins a sweep as a worker that runs whatever cells it is given, and keeps what comes of them in files of its own. */
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
