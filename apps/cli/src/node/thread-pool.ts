import { Worker } from 'node:worker_threads'
import { Effect, Pool } from 'effect'
import type { Answer, CellPool, OnShare, Task } from '../sweep/cell-workers.ts'
import type { Message } from './serve-cells.ts'

/** Threads of this same program, each of which runs one cell at a time. */
export const threadPool = Effect.fnUntraced(function* (workers: number) {
  const pool = yield* Pool.make({ acquire: thread, size: workers })
  const run = Effect.fnUntraced(function* (task: Task, onShare: OnShare) {
    let thread = yield* Pool.get(pool)
    // Code of a policy that ran before may have left a timer that ended it since.
    while (thread.end !== undefined) {
      yield* Pool.invalidate(pool, thread)
      thread = yield* Pool.get(pool)
    }
    return yield* ask(thread, task, onShare).pipe(
      // A thread that has ended, out of memory perhaps, answers no more.
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
  /** Why it runs no more; undefined as long as it does. */
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
    made.worker.on('error', (error) => ended(`its thread ended: ${messageOf(error)}`))
    made.worker.on('exit', (code) =>
      ended(`its thread ended with exit code ${code}: code of its policy may have called process.exit`),
    )
    return made
  }),
  ({ worker }) => Effect.promise(() => worker.terminate()),
)

/** A thread may end with anything that was thrown. */
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
