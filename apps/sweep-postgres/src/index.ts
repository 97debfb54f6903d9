export type { CellQueue, CellQueueOptions, CellState, TakenCell } from './cell-queue.ts'
export { openCellQueue } from './open-cell-queue.ts'

/** The version of what this package and `cloister sweep --postgres` agree on. */
export const contract = 1
