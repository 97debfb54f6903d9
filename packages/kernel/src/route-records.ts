import type { Recorder } from '@cloister/eventlog'
import type { Allocation } from '@cloister/placement'
import type { PolicyCalls } from './policy-calls.ts'
import type { Simulation } from './simulation.ts'

/** Keeps the forwarding tables of a router in step with the running jobs, and records each change. */
export class RouteRecords<Index> {
  readonly #policy: PolicyCalls<Index>
  readonly #recorder: Recorder
  readonly #routing: Simulation['routing']

  constructor({ recorder, routing }: Simulation<Index>, policy: PolicyCalls<Index>) {
    this.#policy = policy
    this.#recorder = recorder
    this.#routing = routing
  }

  /**
   * @param cause seq of the allocate record
   * @throws PolicyFaultError where the router finds no routes on the job's links
   */
  add(now: number, allocation: Allocation, cause: number): void {
    if (this.#routing === undefined) return
    const { name, tables } = this.#routing
    const { job } = allocation
    const change = tables.add(job, allocation)
    if ('unroutable' in change)
      throw this.#policy.fault('placement', `gave job ${job} links that ${name} cannot route: ${change.unroutable}`)
    this.#recorder.route(now, job, 'add', name, change.entries, change.digest, cause)
  }

  /** @param cause seq of the release record */
  remove(now: number, job: string, cause: number): void {
    if (this.#routing === undefined) return
    const { name, tables } = this.#routing
    const { entries, digest } = tables.remove(job)
    this.#recorder.route(now, job, 'remove', name, entries, digest, cause)
  }
}
