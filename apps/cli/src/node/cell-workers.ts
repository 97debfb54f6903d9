import { Effect, Layer } from 'effect'
import { CellWorkers } from '../sweep/cell-workers.ts'

/** Service that runs cells in worker threads of this process. */
export const threadWorkers: Layer.Layer<CellWorkers> = Layer.succeed(CellWorkers, {
  pool: Effect.fnUntraced(function* (workers: number) {
    const { threadPool } = yield* Effect.promise(() => import('./thread-pool.ts'))
    return yield* threadPool(workers)
  }),
})
