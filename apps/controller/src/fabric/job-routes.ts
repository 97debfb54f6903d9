import type { LogState, RunningJob } from '@cloister/eventlog'
import type { Routes } from '@cloister/placement'
import type { FabricTables } from './fabric-tables.ts'
import { parseSwitchTables } from './switch-tables.ts'

/** Notes about the running jobs: each job whose routes the switches have, by the dumps of the switches' tables. */
export class JobRoutes {
  readonly #tables: FabricTables
  /** `seq` of each job's start whose routes the switches have, by the job's name in the log. */
  readonly #confirmed = new Map<string, number>()
  /** Seqs of the starts of the jobs in the last file for OpenSM, as text; undefined before the first file. */
  #sent: string | undefined

  constructor(tables: FabricTables) {
    this.#tables = tables
  }

  /** Returns true if jobs have started or ended since the last file for OpenSM. */
  isChanged(state: LogState): boolean {
    return startsOf(state) !== this.#sent
  }

  file(state: LogState, own: Routes): Generator<string> {
    return this.#tables.file(own, state.running.values())
  }

  markSent(state: LogState): void {
    this.#sent = startsOf(state)
  }

  /** Notes each running job with all routes in the switches. @param dump output of `dump_fts` */
  see(state: LogState, own: Routes, dump: string): void {
    const tables = parseSwitchTables(dump)
    for (const [job, { allocate, ...parts }] of this.#open(state))
      if (this.#tables.hasRoutes(tables, own, parts)) this.#confirmed.set(job, allocate.seq)
  }

  /** Returns the names in the log of the running jobs whose routes the switches do not have yet. */
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
