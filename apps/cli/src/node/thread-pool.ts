import { Worker } from 'node:worker_threads'
import { Effect, Pool } from 'effect'
import type { Answer, CellPool, OnShare, Task } from '../sweep/cell-workers.ts'
import type { Message } from './serve-cells.ts'

/** Creates a pool of worker threads for the cells of a sweep. Each thread runs one cell at a time. */
export const threadPool = Effect.fnUntraced(function* (workers: number) {
  const pool = yield* Pool.make({ acquire: thread, size: workers })
  const run = Effect.fnUntraced(function* (task: Task, onShare: OnShare) {
    let thread = yield* Pool.get(pool)
    // Replaces a thread that has ended, for example because a timer of an earlier cell's policy called process.exit.
    while (thread.end !== undefined) {
      yield* Pool.invalidate(pool, thread)
      thread = yield* Pool.get(pool)
    }
    return yield* ask(thread, task, onShare).pipe(
      // A thread that ends during a cell, for example without memory, makes the cell fail.
      Effect.catch((reason) =>
        Pool.invalidate(pool, thread).pipe(Effect.as<Answer>({ type: 'failed', reason, remarks: [] })),
      ),
    )
  }, Effect.scoped)
  const cells: CellPool = { run }
  return cells
})

interface Thread {
  readonly worker: Worker
  /** Reason why the thread ended, or undefined while the thread runs. */
  end: string | undefined
  onEnd: (reason: string) => void
}

const thread = Effect.acquireRelease(
  Effect.sync((): Thread => {
    const made: Thread = {
      worker: new Worker(new URL('./start-worker.js', import.meta.url)),
      end: undefined,
      onEnd: () => {},
    }
    const ended = (reason: string): void => {
      made.end ??= reason
      made.onEnd(made.end)
    }
    made.worker.on('error', (error) => ended(`the thread of the cell ended: ${messageOf(error)}`))
    made.worker.on('exit', (code) =>
      ended(`the thread of the cell ended with exit code ${code}; code of the policy may have called process.exit`),
    )
    return made
  }),
  ({ worker }) => Effect.promise(() => worker.terminate()),
)

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function ask(thread: Thread, task: Task, onShare: OnShare): Effect.Effect<Answer, string> {
  return Effect.callback((resume) => {
    const settle = (effect: Effect.Effect<Answer, string>): void => {
      thread.worker.off('message', onMessage)
      thread.onEnd = () => {}
      resume(effect)
    }
    const onMessage = (message: Message): void => {
      if (message.type === 'progress') onShare(message.share)
      else settle(Effect.succeed(message))
    }
    thread.onEnd = (reason) => settle(Effect.fail(reason))
    thread.worker.on('message', onMessage)
    thread.worker.postMessage(task)
  })
}
