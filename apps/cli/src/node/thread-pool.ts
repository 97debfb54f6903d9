import { Worker } from 'node:worker_threads'
import { Effect, Pool } from 'effect'
import type { Answer, CellPool, OnShare, Task } from '../sweep/cell-workers.ts'
import type { Message } from './serve-cells.ts'

/** Creates threads of this program. Each thread runs one cell at a time. */
export const threadPool = Effect.fnUntraced(function* (workers: number) {
  const pool = yield* Pool.make({ acquire: thread, size: workers })
  const run = Effect.fnUntraced(function* (task: Task, onShare: OnShare) {
    let thread = yield* Pool.get(pool)
    // A timer of an earlier policy may have ended the thread meanwhile.
    while (thread.end !== undefined) {
      yield* Pool.invalidate(pool, thread)
      thread = yield* Pool.get(pool)
    }
    return yield* ask(thread, task, onShare).pipe(
      // An ended thread gives no answer, for example after running out of memory.
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
  /** Reason for the end of the thread; undefined while the thread runs. */
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

/** Returns the message of a thread's error. A thread may end with any thrown value. */
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
