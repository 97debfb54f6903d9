import { firstSwitchOfLevels, type Recorder, spellEntries } from '@cloister/eventlog'
import type { Allocation, SwitchEntries } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { GuardedPolicy } from './guarded-policy.ts'
import type { Routing } from './setup.ts'

/** Updates a router's forwarding tables at each start and end, and records the changed entries. */
export class RouteRecords<Index> {
  readonly #recorder: Recorder
  readonly #routing: Routing | undefined
  readonly #policy: GuardedPolicy<Index>
  readonly #firstOfLevel: ReadonlyArray<number>
  /** Seq of the record with the entries of each running job; only for a router whose entries leave with their job. */
  readonly #added: Map<string, number> = new Map()

  constructor(
    topology: Topology,
    { recorder, routing }: { readonly recorder: Recorder; readonly routing?: Routing },
    policy: GuardedPolicy<Index>,
  ) {
    this.#recorder = recorder
    this.#routing = routing
    this.#policy = policy
    this.#firstOfLevel = firstSwitchOfLevels(topology)
  }

  /** Records the entries before the first job. */
  begin(): void {
    const entries = this.#spelled(this.#routing?.tables.initial?.() ?? [])
    if (entries.length > 0) this.#recorder.record({ type: 'route', t: 0, cause: 0, entries })
  }

  /** @throws PolicyFaultError if the router finds no routes for the job */
  add(now: number, allocation: Allocation, cause: number): void {
    if (this.#routing === undefined) return
    const entries = this.#spelled(this.#started(this.#routing, allocation))
    if (entries.length === 0) return
    const { job } = allocation
    const isOwn = this.#routing.router.claims.changes === 'own'
    const seq = this.#recorder.record({ type: 'route', t: now, cause, ...(isOwn && { job }), entries })
    if (isOwn) this.#added.set(job, seq)
  }

  /**
   * Updates the tables without a record, because the log has one.
   *
   * @param seq seq of the route record of the job; undefined if the log has no such record
   * @throws PolicyFaultError if the router finds no routes for the job
   */
  adopt(allocation: Allocation, seq: number | undefined): void {
    if (this.#routing === undefined) return
    this.#started(this.#routing, allocation)
    if (seq !== undefined) this.#added.set(allocation.job, seq)
  }

  #started({ router: { name }, tables }: Routing, allocation: Allocation): Iterable<SwitchEntries> {
    const { job } = allocation
    const change = tables.start(job, allocation)
    if ('unroutable' in change)
      throw this.#policy.fault('placement', `gave job ${job} links that ${name} cannot route: ${change.unroutable}`)
    return change
  }

  remove(now: number, job: string, cause: number): void {
    if (this.#routing === undefined) return
    const changed = this.#routing.tables.end(job)
    if (this.#routing.router.claims.changes === 'own') {
      const undo = this.#added.get(job)
      this.#added.delete(job)
      if (undo !== undefined) this.#recorder.record({ type: 'route', t: now, cause, job, undo })
      return
    }
    const entries = this.#spelled(changed)
    if (entries.length > 0) this.#recorder.record({ type: 'route', t: now, cause, entries })
  }

  #spelled(entries: Iterable<SwitchEntries>): ReadonlyArray<string> {
    return spellEntries(this.#firstOfLevel, entries)
  }
}
