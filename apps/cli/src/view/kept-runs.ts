import type { Identity } from '@cloister/eventlog/node'
import type { KeptRun } from '@cloister/viewer'
import { Context } from 'effect'

/** What this very program collected of logs. */
export interface RunStore {
  /** Undefined where it has nothing of a log of these bytes, or nothing that can be read. */
  readonly read: (log: Identity) => Promise<KeptRun | undefined>
  /** Begins to keep a run, if it can; what it is made of is not needed any more when this returns. */
  readonly write: (log: Identity, run: KeptRun) => void
}

/** Keeps what was collected of a log, so that it need not be read again to be shown. */
export class KeptRuns extends Context.Service<KeptRuns, RunStore>()('cloister/KeptRuns') {}
