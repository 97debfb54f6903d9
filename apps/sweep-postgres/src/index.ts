export type { CellQueue, CellQueueOptions, CellState, TakenCell } from './cell-queue.ts'
export { openCellQueue } from './open-cell-queue.ts'

/** Version of the interface `CellQueue` between this package and `cloister sweep --postgres`. */
export const contract = 1
