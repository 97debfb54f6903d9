import type { Placement, Placer, Request, StateView } from '@cloister/placement'
import type { Jobs } from '@cloister/workload'
import { estimateOf } from './scheduling-rules.ts'
import type { Instant, Machine, SchedulerSetup } from './setup.ts'
import { grown } from './waiting-jobs.ts'

const MOST_NODES = 2 ** 31 - 1

/**
 * Makes the policy's requests, with estimates and never with run times. Sizes, estimates and request keys of the jobs
 * are in arrays, because every scheduling pass reads them.
 */
export class Requests {
  readonly #jobs: Jobs
  readonly #estimate: SchedulerSetup['estimates']
  readonly #estimateOn: Machine['estimateOn']
  readonly #instant: Instant
  readonly #keys: RequestKeys
  #keyOf: Int32Array
  #sizes: Int32Array
  #estimates: Float64Array

  constructor(
    jobs: Jobs,
    estimates: SchedulerSetup['estimates'],
    estimateOn: Machine['estimateOn'],
    placer: Pick<Placer, 'requestKey'>,
    instant: Instant,
  ) {
    this.#jobs = jobs
    this.#estimate = estimates
    this.#estimateOn = estimateOn
    this.#instant = instant
    this.#keys = new RequestKeys(placer)
    this.#keyOf = new Int32Array(jobs.length)
    this.#sizes = new Int32Array(jobs.length)
    this.#estimates = new Float64Array(jobs.length)
  }

  /** Call this method for a job before every other method. */
  know(job: number): void {
    this.#keyOf = grown(this.#keyOf, job)
    this.#sizes = grown(this.#sizes, job)
    this.#estimates = grown(this.#estimates, job)
    // No machine has more than `MOST_NODES` nodes, so the policy refuses such a request in any case.
    this.#sizes[job] = Math.min(this.#jobs.at(job)!.size, MOST_NODES)
    this.#estimates[job] = estimateOf(this.#jobs.at(job)!, this.#estimate)
  }

  /** Asks the policy for the key of a request, and remembers the key of the job. @throws PolicyFaultError */
  addKey(job: number, request: Request): number {
    return (this.#keyOf[job] = this.#keys.of(request))
  }

  /** Small integer for the key that the policy gives to the job's request; -1 if the policy gives no key. */
  keyOf(job: number): number {
    return this.#keyOf[job]
  }

  sizeOf(job: number): number {
    return this.#sizes[job]
  }

  /** Estimate of a job without regard to a placement, integer milliseconds. */
  estimateOf(job: number): number {
    return this.#estimates[job]
  }

  /** Returns the estimate on a placement that was found for a start now, integer milliseconds. */
  estimateOn(job: number, state: StateView, placement: Placement): number {
    return this.#estimateOn?.(job, state, this.of(job, 'start'), placement) ?? this.#estimates[job]
  }

  get estimatesVary(): boolean {
    return this.#estimateOn !== undefined
  }

  of(job: number, purpose: Request['purpose']): Request {
    const { id, size, submit: submitted, bandwidth, communication } = this.#jobs.at(job)!
    // A log of a real machine may lack estimates.
    const known = this.#estimates[job]
    const estimate = known === Infinity ? undefined : known
    return { purpose, job: id, nodes: size, now: this.#instant.now, submitted, estimate, bandwidth, communication }
  }

  /** Returns the request for a planned start at `startsAt`, integer milliseconds. */
  later(job: number, startsAt: number): Request {
    return { ...this.of(job, 'reserve'), decidedAt: this.#instant.now, startsAt }
  }
}

/** Numbers the keys that a policy gives to requests, from 0. */
export class RequestKeys {
  readonly #placer: Pick<Placer, 'requestKey'>
  readonly #known = new Map<string | number, number>()

  constructor(placer: Pick<Placer, 'requestKey'>) {
    this.#placer = placer
  }

  /** Returns the number of the request's key; -1 if the policy gives no key. */
  of(request: Request): number {
    const key = this.#placer.requestKey === undefined ? request.nodes : this.#placer.requestKey(request)
    if (key === undefined) return -1
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#known.set(key, this.#known.size)
    return this.#known.size - 1
  }
}
