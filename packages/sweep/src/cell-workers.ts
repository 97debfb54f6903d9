import type { RunSpec } from '@cloister/run'
import { Context, type Effect, type Scope } from 'effect'
import type { CellResult, CellTimes } from './cell-result.ts'
import type { CellOptions } from './run-cell.ts'

/** Cell for a worker to run. */
export interface Task {
  readonly cell: RunSpec
  readonly options: CellOptions
}

/** Answer of a worker about a cell: a result, or the reason of a failure. `remarks` has texts for standard error. */
export type Answer =
  | {
      readonly type: 'done'
      readonly result: CellResult
      readonly times: CellTimes
      readonly remarks: ReadonlyArray<string>
    }
  | { readonly type: 'failed'; readonly reason: string; readonly remarks: ReadonlyArray<string> }

/** Function called during the run of a cell with the share of ended jobs, 0 to 1. */
export type OnShare = (share: number) => void

/** Pool of workers for the cells of a sweep. Each worker runs one cell at a time. `run` waits for a free worker. */
export interface CellPool {
  readonly run: (task: Task, onShare: OnShare) => Effect.Effect<Answer>
}

/** Service that creates pools of workers for the cells of an experiment. */
export class CellWorkers extends Context.Service<
  CellWorkers,
  { readonly pool: (workers: number) => Effect.Effect<CellPool, never, Scope.Scope> }
>()('@cloister/sweep/CellWorkers') {}

/** Receiver of the progress of cells, and of remarks of runs for users. */
export interface CellWatcher {
  /** Called during the run of a cell with the share of ended jobs, 0 to 1. */
  readonly onShare: (cell: RunSpec, share: number) => void
  readonly onEnd: (cell: RunSpec) => void
  /** Receives a remark of a run on its inputs. Several runs may make the same remark. */
  readonly remark: (text: string) => Effect.Effect<void>
}
