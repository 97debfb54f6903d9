import { Worker } from 'node:worker_threads'
import { Effect, Pool } from 'effect'
import type { Answer, CellPool, OnShare, Task } from '../sweep/cell-workers.ts'
import type { Message } from './serve-cells.ts'

/** Threads of this same program, each of which runs one cell at a time. */
export const threadPool = Effect.fnUntraced(function* (workers: number) {
  const pool = yield* Pool.make({ acquire: thread, size: workers })
  const run = Effect.fnUntraced(function* (task: Task, onShare: OnShare) {
    const worker = yield* Pool.get(pool)
    return yield* ask(worker, task, onShare).pipe(
      // A thread that has ended, out of memory perhaps, answers no more.
      Effect.catch((reason) =>
        Pool.invalidate(pool, worker).pipe(Effect.as<Answer>({ type: 'failed', reason, remarks: [] })),
      ),
    )
  }, Effect.scoped)
  const cells: CellPool = { run }
  return cells
})

const thread = Effect.acquireRelease(
  Effect.sync(() => new Worker(new URL('./cloister.js', import.meta.url))),
  (worker) => Effect.promise(() => worker.terminate()),
)

function ask(worker: Worker, task: Task, onShare: OnShare): Effect.Effect<Answer, string> {
  return Effect.callback((resume) => {
    const settle = (effect: Effect.Effect<Answer, string>): void => {
      worker.off('message', onMessage).off('error', onError)
      resume(effect)
    }
    const onMessage = (message: Message): void => {
      if (message.type === 'progress') onShare(message.share)
      else settle(Effect.succeed(message))
    }
    const onError = (error: Error): void => settle(Effect.fail(`its thread ended: ${error.message}`))
    worker.on('message', onMessage).on('error', onError)
    worker.postMessage(task)
  })
}
