import { Worker, parentPort } from 'node:worker_threads'
import { Cause, Console, Effect, Exit, Pool } from 'effect'
import type { RunSpec } from '@cloister/run'
import type { CellResult } from './cell-result.ts'
import { Problem } from '../errors/problem.ts'
import { type CellOptions, runCell } from './run-cell.ts'
import { describeThrown } from '../errors/thrown.ts'

interface Task {
  readonly cell: RunSpec
  readonly options: CellOptions
}

/** What a worker tells of its task: how far it is, then how it ended. */
type Message =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: CellResult; readonly remarks: ReadonlyArray<string> }
  | { readonly type: 'failed'; readonly reason: string; readonly remarks: ReadonlyArray<string> }

/** How a cell ended: with a result, or with the reason why there is none. `remarks` is what a command would say on standard error. */
export type Answer = Exclude<Message, { readonly type: 'progress' }>

/** The worker's side: this same program, started as a thread. */
export function serveCells(): void {
  const port = parentPort!
  port.on('message', ({ cell, options }: Task) => {
    const remarks: Array<string> = []
    const quiet: Console.Console = Object.assign(Object.create(console), {
      error: (text: string) => remarks.push(text),
    })
    const run = runCell(cell, options, (ended, jobs) =>
      port.postMessage({ type: 'progress', share: ended / jobs } satisfies Message),
    )
    void Effect.runPromiseExit(run.pipe(Effect.provideService(Console.Console, quiet))).then((exit) => {
      port.postMessage(
        (Exit.isSuccess(exit)
          ? { type: 'done', result: exit.value, remarks }
          : { type: 'failed', reason: reasonOf(exit.cause), remarks }) satisfies Message,
      )
    })
  })
}

function reasonOf(cause: Cause.Cause<Problem>): string {
  const error = Cause.squash(cause)
  return error instanceof Problem ? error.message : `this is a defect of cloister: ${describeThrown(error)}`
}

export interface CellListener {
  onProgress(cell: RunSpec, share: number): void
  onAnswer(cell: RunSpec, answer: Answer): Effect.Effect<void, Problem>
}

/** Runs the cells on worker threads, each cell's answer as soon as it is there. */
export const runCells = Effect.fnUntraced(function* (
  cells: ReadonlyArray<RunSpec>,
  workers: number,
  options: CellOptions,
  listener: CellListener,
) {
  const pool = yield* Pool.make({ acquire: thread, size: Math.min(workers, cells.length) })
  const run = Effect.fnUntraced(function* (cell: RunSpec) {
    const worker = yield* Pool.get(pool)
    const answer = yield* ask(worker, { cell, options }, (share) => listener.onProgress(cell, share)).pipe(
      // A thread that has ended, out of memory perhaps, answers no more.
      Effect.catch((reason) =>
        Pool.invalidate(pool, worker).pipe(Effect.as<Answer>({ type: 'failed', reason, remarks: [] })),
      ),
    )
    yield* listener.onAnswer(cell, answer)
  }, Effect.scoped)
  yield* Effect.forEach(cells, run, { concurrency: workers, discard: true })
}, Effect.scoped)

const thread = Effect.acquireRelease(
  Effect.sync(() => new Worker(new URL('./cloister.js', import.meta.url))),
  (worker) => Effect.promise(() => worker.terminate()),
)

function ask(worker: Worker, task: Task, onProgress: (share: number) => void): Effect.Effect<Answer, string> {
  return Effect.callback((resume) => {
    const settle = (effect: Effect.Effect<Answer, string>): void => {
      worker.off('message', onMessage).off('error', onError)
      resume(effect)
    }
    const onMessage = (message: Message): void => {
      if (message.type === 'progress') onProgress(message.share)
      else settle(Effect.succeed(message))
    }
    const onError = (error: Error): void => settle(Effect.fail(`its thread ended: ${error.message}`))
    worker.on('message', onMessage).on('error', onError)
    worker.postMessage(task)
  })
}
