import type { RunSpec } from '@cloister/run'
import { Context, type Effect, type Scope } from 'effect'
import type { CellResult, CellTimes } from './cell-result.ts'
import type { CellOptions } from './run-cell.ts'

export interface Task {
  readonly cell: RunSpec
  readonly options: CellOptions
}

/** How a cell ended: with a result, or with the reason why there is none. `remarks` is what a command would say on standard error. */
export type Answer =
  | {
      readonly type: 'done'
      readonly result: CellResult
      readonly times: CellTimes
      readonly remarks: ReadonlyArray<string>
    }
  | { readonly type: 'failed'; readonly reason: string; readonly remarks: ReadonlyArray<string> }

/** Told now and then which share of a cell's jobs have ended. */
export type OnShare = (share: number) => void

/** Runs as many cells at once as it has workers; more of them wait. */
export interface CellPool {
  readonly run: (task: Task, onShare: OnShare) => Effect.Effect<Answer>
}

/** Who runs the cells of an experiment. */
export class CellWorkers extends Context.Service<
  CellWorkers,
  { readonly pool: (workers: number) => Effect.Effect<CellPool, never, Scope.Scope> }
>()('cloister/CellWorkers') {}
