import type { Identity } from '@cloister/eventlog/node'
import type { KeptRun } from '@cloister/viewer'
import { Context } from 'effect'

/** Store of runs collected from logs by this build of the program. */
export interface RunStore {
  /** Returns the run of a log with these bytes. Returns undefined without a readable run. */
  readonly read: (log: Identity) => Promise<KeptRun | undefined>
  /** Begins to keep a run, if possible. After the return, the caller may change the run. */
  readonly write: (log: Identity, run: KeptRun) => void
}

/** Keeps the runs collected from logs, so that a shown log is not read again. */
export class KeptRuns extends Context.Service<KeptRuns, RunStore>()('cloister/KeptRuns') {}
