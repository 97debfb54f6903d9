import type { Recorder } from '@cloister/eventlog'
import type { Allocation, RouteChange } from '@cloister/placement'
import type { GuardedPolicy } from './guarded-policy.ts'
import type { Routing } from './setup.ts'

/** Updates a router's forwarding tables at each start and end, and records the changes. */
export class RouteRecords<Index> {
  readonly #recorder: Recorder
  readonly #routing: Routing | undefined
  readonly #policy: GuardedPolicy<Index>

  constructor(recorder: Recorder, routing: Routing | undefined, policy: GuardedPolicy<Index>) {
    this.#recorder = recorder
    this.#routing = routing
    this.#policy = policy
  }

  /** @throws PolicyFaultError if the router finds no routes on the links of the job */
  add(now: number, allocation: Allocation, cause: number): void {
    if (this.#routing === undefined) return
    const { entries, digest } = this.#added(this.#routing, allocation)
    this.#recorder.record({
      type: 'route',
      t: now,
      job: allocation.job,
      op: 'add',
      scheme: this.#routing.name,
      entries,
      digest,
      cause,
    })
  }

  /** Adds routes without a record, because the log has one. @throws PolicyFaultError if the links have no routes */
  adopt(allocation: Allocation): void {
    if (this.#routing !== undefined) this.#added(this.#routing, allocation)
  }

  #added({ name, tables }: Routing, allocation: Allocation): RouteChange {
    const { job } = allocation
    const change = tables.add(job, allocation)
    if ('unroutable' in change)
      throw this.#policy.fault('placement', `gave job ${job} links that ${name} cannot route: ${change.unroutable}`)
    return change
  }

  remove(now: number, job: string, cause: number): void {
    if (this.#routing === undefined) return
    const { name, tables } = this.#routing
    const { entries, digest } = tables.remove(job)
    this.#recorder.record({ type: 'route', t: now, job, op: 'remove', scheme: name, entries, digest, cause })
  }
}
