import type { Identity } from '@cloister/eventlog/node'
import type { StoredRun } from '@cloister/viewer'
import { Context } from 'effect'

/** Store of runs that `cloister view` collected from logs, for this build of the program only. */
export interface RunStore {
  /** Returns the stored run of the log with an identity (size and hash). Undefined if the store has no readable run. */
  readonly read: (log: Identity) => Promise<StoredRun | undefined>
  /** Begins to store a run; failures are ignored. After the return, the caller may change the run. */
  readonly write: (log: Identity, run: StoredRun) => void
}

/** Store of runs, so that `cloister view` shows a log again without reading the whole log. */
export class StoredRuns extends Context.Service<StoredRuns, RunStore>()('cloister/StoredRuns') {}
