import { describeSpec, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'
import type { CellResult } from '../sweep/cell-result.ts'
import { CellWorkers } from '../sweep/cell-workers.ts'
import { SweepProgress } from '../sweep/sweep-progress.ts'
import { remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { Claims, MOST_ATTEMPTS } from './claims.ts'
import { type Cell, cellsOfShard } from './cells.ts'
import { joinSweep, type ShardOptions } from './join-sweep.ts'
import { ResultsRead } from './results-read.ts'
import { type CellTask, ClaimingQueue, FixedQueue } from './shard-queue.ts'
import type { SweepFolder } from './sweep-folder.ts'

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

/** Runs the cells of a shard that have no result yet, in a folder that all workers share. */
export const runShard = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: ShardOptions,
) {
  const { makeFolder } = yield* Files
  const { shard, keepLogs, workers } = options
  if (keepLogs !== undefined) yield* attempt(() => makeFolder(keepLogs))
  const { name, heartbeat, files, now } = yield* joinSweep(folder, shard, options)
  const { queue, progress } = yield* queueOf(cells, folder, name, options)
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
  const run = Effect.fnUntraced(function* (task: CellTask) {
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
  const serve = Effect.fnUntraced(function* () {
    for (;;) {
      const task = yield* attempt(() => queue.next(now))
      if (task === undefined) return
      if (task === 'wait') yield* Effect.sleep(`${Math.ceil(options.leaseSeconds * 100)} millis`)
      else if (queue instanceof ClaimingQueue && queue.isHopeless(task)) yield* fail(task, hopeless)
      else yield* run(task)
    }
  })
  yield* Effect.all(Array.from({ length: workers }, serve), { concurrency: workers, discard: true })
  progress?.clear()
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
}, Effect.scoped)

const hopeless = `${MOST_ATTEMPTS} workers that ran it ended without an answer: they were killed, perhaps for want of memory or time`

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
