import { CellWorkers } from '@cloister/sweep'
import { Effect, Layer } from 'effect'

/** Service that runs cells in worker threads of this process. */
export const threadWorkers: Layer.Layer<CellWorkers> = Layer.succeed(CellWorkers, {
  pool: Effect.fnUntraced(function* (workers: number) {
    const { programThreads } = yield* Effect.promise(() => import('./thread-pool.ts'))
    return yield* programThreads(workers)
  }),
})
