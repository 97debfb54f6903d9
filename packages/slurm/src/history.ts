import type { AccountingRow, JobLabels } from '@cloister/trace-io'

/** How a run ended: by itself, or because of what. */
export type RunEnd = 'finished' | 'failed' | 'estimate' | 'node-down' | 'reservation' | 'cancel'

/** A job on its nodes, once. Times in Unix milliseconds. */
export interface NodeRun {
  /** Place of its job in the history. */
  readonly job: number
  readonly start: number
  /** Infinity where it still ran. */
  readonly end: number
  readonly how: RunEnd
  /** Ascending. */
  readonly nodes: Int32Array
}

/** A job of the history. Times in Unix milliseconds. */
export interface HistoryJob {
  readonly id: string
  /** When it could start. */
  readonly arrival: number
  /** What its user asked for, milliseconds. */
  readonly limit: number | undefined
  /** Nodes that it asks for; where it ran, the fewest that it did with. */
  readonly size: number
  /** When it left the queue without having run; undefined where it did not. */
  readonly cancelled: number | undefined
  readonly labels: JobLabels
}

/** Jobs and their runs, as the accounting has them. */
export interface History {
  readonly jobs: ReadonlyArray<HistoryJob>
  readonly runs: ReadonlyArray<NodeRun>
}

/** How a state of Slurm ends a run. */
export const endOfState: Readonly<Record<string, RunEnd>> = {
  COMPLETED: 'finished',
  FAILED: 'failed',
  OUT_OF_MEMORY: 'failed',
  TIMEOUT: 'estimate',
  DEADLINE: 'estimate',
  NODE_FAIL: 'node-down',
  BOOT_FAIL: 'node-down',
  PREEMPTED: 'reservation',
  CANCELLED: 'cancel',
  REVOKED: 'cancel',
  REQUEUED: 'cancel',
  RESIZING: 'cancel',
}

/** States in which a job has not ended. */
export const openStates: ReadonlySet<AccountingRow['state']> = new Set([
  'PENDING',
  'RUNNING',
  'SUSPENDED',
  'COMPLETING',
  'CONFIGURING',
])
