import type { RunSpec } from '@cloister/run'
import { Context, type Effect, type Scope } from 'effect'
import type { CellResult, CellTimes } from './cell-result.ts'
import type { CellOptions } from './run-cell.ts'

export interface Task {
  readonly cell: RunSpec
  readonly options: CellOptions
}

/** End of a cell: a result, or the reason of a failure. `remarks` has the texts for standard error. */
export type Answer =
  | {
      readonly type: 'done'
      readonly result: CellResult
      readonly times: CellTimes
      readonly remarks: ReadonlyArray<string>
    }
  | { readonly type: 'failed'; readonly reason: string; readonly remarks: ReadonlyArray<string> }

/** Callback with the share of a cell's ended jobs, 0 to 1. */
export type OnShare = (share: number) => void

/** Pool of workers for cells. Each worker runs one cell at a time; further cells wait. */
export interface CellPool {
  readonly run: (task: Task, onShare: OnShare) => Effect.Effect<Answer>
}

/** Workers for the cells of an experiment. */
export class CellWorkers extends Context.Service<
  CellWorkers,
  { readonly pool: (workers: number) => Effect.Effect<CellPool, never, Scope.Scope> }
>()('cloister/CellWorkers') {}
