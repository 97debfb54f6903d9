import type { LogState, RunningJob } from '@cloister/eventlog'
import type { Routes } from '@cloister/placement'
import type { FabricTables } from './fabric-tables.ts'
import { parseSwitchTables } from './switch-tables.ts'

/** Which jobs run by the log, and of which of them the switches are known to have the routes. Both follow from the log and from what is seen of the switches. */
export class JobRoutes {
  readonly #tables: FabricTables
  /** By the log's names: seq of the start. */
  readonly #confirmed = new Map<string, number>()
  /** The starts in the file that OpenSM was told to read last. */
  #told: string | undefined

  constructor(tables: FabricTables) {
    this.#tables = tables
  }

  /** Whether other jobs run than those in the file that OpenSM was told to read. */
  isChanged(state: LogState): boolean {
    return startsOf(state) !== this.#told
  }

  /** The file for OpenSM. @param own the routes of the jobs that run */
  file(state: LogState, own: Routes): Generator<string> {
    return this.#tables.file(own, state.running.values())
  }

  /** OpenSM was told to read the file of a state. */
  told(state: LogState): void {
    this.#told = startsOf(state)
  }

  /** Takes note of what the switches have. @param dump as `dump_fts` prints it */
  see(state: LogState, own: Routes, dump: string): void {
    const tables = parseSwitchTables(dump)
    for (const [job, { allocate, ...parts }] of this.#open(state))
      if (this.#tables.hasRoutes(tables, own, parts)) this.#confirmed.set(job, allocate.seq)
  }

  /** By the log's names, the jobs that are not to start yet. */
  unrouted(state: LogState): ReadonlySet<string> {
    for (const job of this.#confirmed.keys()) if (!state.running.has(job)) this.#confirmed.delete(job)
    return new Set(this.#open(state).map(([job]) => job))
  }

  #open({ running }: LogState): ReadonlyArray<readonly [string, RunningJob]> {
    return [...running].filter(([job, { allocate }]) => this.#confirmed.get(job) !== allocate.seq)
  }
}

function startsOf({ running }: LogState): string {
  return [...running.values()].map(({ allocate }) => allocate.seq).join()
}
