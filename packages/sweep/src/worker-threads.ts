import { parentPort, Worker } from 'node:worker_threads'
import { Cause, Effect, Pool } from 'effect'
import type { Answer, CellPool, OnShare, Task } from './cell-workers.ts'
import { type CellHost, runCell } from './run-cell.ts'

/** Message of a worker thread about its cell of a sweep: several times the share of ended jobs, and then the answer. */
type Message = { readonly type: 'progress'; readonly share: number } | Answer

/** Runs a cell of an experiment. `answer` never fails: the result has the reason of a failure or defect. */
export function answer({ cell, options }: Task, onShare: OnShare, host: CellHost): Effect.Effect<Answer> {
  const remarks: Array<string> = []
  const onProgress = (ended: number, jobs: number): void => onShare(ended / jobs)
  return runCell(cell, options, host, (text) => remarks.push(text), onProgress).pipe(
    Effect.map((ran): Answer => ({ type: 'done', ...ran, remarks })),
    Effect.catchCause((cause) =>
      Effect.succeed<Answer>({ type: 'failed', reason: host.reasonOf(Cause.squash(cause)), remarks }),
    ),
  )
}

/** Runs each cell of a sweep that arrives as a message to this worker thread, and answers by messages. */
export function serveCells(host: CellHost): void {
  const port = parentPort!
  const tell = (message: Message): void => port.postMessage(message)
  port.on('message', (task: Task) => {
    void Effect.runPromise(answer(task, (share) => tell({ type: 'progress', share }), host)).then(tell)
  })
}

/**
 * Creates a pool of worker threads for the cells of a sweep. Each thread runs one cell at a time.
 * The module `script` of a worker thread calls `serveCells`.
 */
export const threadPool = Effect.fnUntraced(function* (script: URL, workers: number) {
  const pool = yield* Pool.make({ acquire: threadOf(script), size: workers })
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

const threadOf = (script: URL) =>
  Effect.acquireRelease(
    Effect.sync((): Thread => {
      const made: Thread = { worker: new Worker(script), end: undefined, onEnd: () => {} }
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
