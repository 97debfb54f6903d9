import type { Identity } from '@cloister/eventlog/node'
import type { TaggedProblem } from '@cloister/run'
import type { StoredRun } from '@cloister/viewer'
import { Context, type Effect } from 'effect'

/** Service to open the browser of the user. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Opens an address. Other users can read the address in the list of processes. Does nothing without a browser. */
    readonly open: (url: string) => void
  }
>()('cloister/Browser') {}

/** Service that reads the HTML page of the viewer, without a log inside. */
export class ViewerPage extends Context.Service<ViewerPage, { readonly read: Effect.Effect<string, TaggedProblem> }>()(
  'cloister/ViewerPage',
) {}

/** Store of runs that `cloister view` collected from logs, for this build of the program only. */
export interface RunStore {
  /** Returns the stored run of the log with an identity (size and hash). Undefined if the store has no readable run. */
  readonly read: (log: Identity) => Promise<StoredRun | undefined>
  /** Begins to store a run; failures are ignored. After the return, the caller may change the run. */
  readonly write: (log: Identity, run: StoredRun) => void
}

/** Store of runs, so that `cloister view` shows a log again without reading the whole log. */
export class StoredRuns extends Context.Service<StoredRuns, RunStore>()('cloister/StoredRuns') {}
