import { firstSwitchOfLevels, type Recorder, spellEntries } from '@cloister/eventlog'
import type { Allocation, Resources, RouteChange, SwitchEntries } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { GuardedPolicy } from './guarded-policy.ts'
import type { Routing } from './setup.ts'

/** Job without routes after a failure, and seq of the route record about the loss. */
interface LostRoutes {
  readonly job: string
  readonly seq: number
}

/** Updates a router's forwarding tables at each start, end, failure and repair, and records the changed entries. */
export class RouteRecords<Index> {
  readonly #recorder: Recorder
  readonly #routing: Routing | undefined
  readonly #policy: GuardedPolicy<Index>
  readonly #firstOfLevel: ReadonlyArray<number>
  /** Seq of the first route record of each running job that has route records; its end takes all of them back. */
  readonly #first: Map<string, number> = new Map()
  /** Running jobs that started without routes, because of failures. The router does not know these jobs. */
  readonly #unknown: Map<string, Allocation> = new Map()
  #hasFailed = false

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
    this.#record(0, 0, undefined, this.#spelled(this.#routing?.tables.initial?.() ?? []))
  }

  /** @throws PolicyFaultError if the router finds no routes for the job, and no failure is the reason */
  add(now: number, allocation: Allocation, cause: number): void {
    if (this.#routing === undefined) return
    const started = this.#started(this.#routing, allocation)
    const job = this.#isOwn || 'unroutable' in started ? allocation.job : undefined
    if ('unroutable' in started) this.#record(now, cause, job, [], started.unroutable)
    else this.#record(now, cause, job, this.#spelled(started))
  }

  /**
   * Updates the tables without a record, because the log has one.
   *
   * @param first seq of the first route record of the job; undefined if the log has no such record
   * @throws PolicyFaultError if the router finds no routes for the job
   */
  adopt(allocation: Allocation, first: number | undefined): void {
    if (this.#routing === undefined) return
    this.#started(this.#routing, allocation)
    if (first !== undefined) this.#first.set(allocation.job, first)
  }

  /** Tells the router about nodes and links that are down, without records. */
  adoptFailure(resources: Resources): void {
    this.#changes('down', resources)
  }

  #started({ router, tables }: Routing, allocation: Allocation): ReturnType<Routing['tables']['start']> {
    const { job } = allocation
    const change = tables.start(job, allocation)
    if (!('unroutable' in change)) return change
    const { name, claims } = router
    // A policy without own links does not avoid failed links.
    if (claims.links === 'owned' || !this.#hasFailed)
      throw this.#policy.fault('placement', `gave job ${job} links that ${name} cannot route: ${change.unroutable}`)
    this.#unknown.set(job, allocation)
    return change
  }

  remove(now: number, job: string, cause: number): void {
    if (this.#routing === undefined) return
    const changed = this.#unknown.delete(job) ? [] : this.#routing.tables.end(job)
    this.#undo(now, job, cause)
    if (!this.#isOwn) this.#record(now, cause, undefined, this.#spelled(changed))
  }

  /** Returns the running jobs that the failure or repair leaves without routes, in the order of the router. */
  change(now: number, change: 'down' | 'up', resources: Resources, cause: number): ReadonlyArray<LostRoutes> {
    const lost = this.#changes(change, resources).flatMap(({ job, entries, unroutable }) => {
      const spelled = this.#spelled(entries)
      // Without entries of its own, a job has its routes again as soon as no record says the contrary.
      if (!this.#isOwn && job !== undefined && unroutable === undefined) this.#undo(now, job, cause)
      const seq = this.#record(now, cause, job, spelled, unroutable)
      return job === undefined || seq === undefined || unroutable === undefined ? [] : [{ job, seq }]
    })
    if (change === 'up' && this.#routing !== undefined) this.#startAgain(now, this.#routing, cause)
    return lost
  }

  /** Asks for the routes of jobs that started without routes. */
  #startAgain(now: number, { tables }: Routing, cause: number): void {
    for (const [job, allocation] of this.#unknown) {
      const started = tables.start(job, allocation)
      if ('unroutable' in started) continue
      this.#unknown.delete(job)
      if (!this.#isOwn) this.#undo(now, job, cause)
      this.#record(now, cause, this.#isOwn ? job : undefined, this.#spelled(started))
    }
  }

  /** Returns all changes, because a router may compute each change only when asked for it. */
  #changes(change: 'down' | 'up', resources: Resources): ReadonlyArray<RouteChange> {
    this.#hasFailed = true
    return [...(this.#routing?.tables.change?.(change, resources) ?? [])]
  }

  #undo(now: number, job: string, cause: number): void {
    const undo = this.#first.get(job)
    if (undo === undefined) return
    this.#first.delete(job)
    this.#recorder.record({ type: 'route', t: now, cause, job, undo })
  }

  /** Returns the seq of the record; undefined if there is nothing to record. */
  #record(
    t: number,
    cause: number,
    job: string | undefined,
    entries: ReadonlyArray<string>,
    unroutable?: string,
  ): number | undefined {
    if (entries.length === 0 && unroutable === undefined) return undefined
    const changed = entries.length === 0 ? undefined : entries
    const seq = this.#recorder.record({ type: 'route', t, cause, job, entries: changed, unroutable })
    if (job !== undefined && !this.#first.has(job)) this.#first.set(job, seq)
    return seq
  }

  get #isOwn(): boolean {
    return this.#routing?.router.claims.changes === 'own'
  }

  #spelled(entries: Iterable<SwitchEntries>): ReadonlyArray<string> {
    return spellEntries(this.#firstOfLevel, entries)
  }
}
