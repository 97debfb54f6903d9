import type { Recorder } from '@cloister/eventlog'
import { type Allocation, PolicyError } from '@cloister/placement'
import type { Simulation } from './simulation.ts'

/** Keeps the forwarding tables of a router in step with the running jobs, and records each change. */
export class RouteRecords {
  readonly #policyName: string
  readonly #recorder: Recorder
  readonly #routing: Simulation['routing']

  constructor({ policyName, recorder, routing }: Simulation) {
    this.#policyName = policyName
    this.#recorder = recorder
    this.#routing = routing
  }

  /**
   * @param cause seq of the allocate record
   * @throws PolicyError where the router finds no routes on the job's links
   */
  add(now: number, allocation: Allocation, cause: number): void {
    if (this.#routing === undefined) return
    const { name, tables } = this.#routing
    const { job } = allocation
    const change = tables.add(job, allocation)
    if ('unroutable' in change)
      throw new PolicyError(this.#policyName, `gave job ${job} links that ${name} cannot route: ${change.unroutable}`)
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
