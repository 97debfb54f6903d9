import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import type { ExperimentOptions } from '../sweep/run-experiment.ts'
import { Heartbeat } from './heartbeat.ts'
import type { Shard } from './shard.ts'
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
