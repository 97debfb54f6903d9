import type { ClusterState, Placement, Refusal } from '@cloister/placement'
import { KnownRefusals } from './known-refusals.ts'
import type { PolicyCalls } from './policy-calls.ts'
import type { RefusalReasons, Withheld } from './refusal-reasons.ts'
import { RequestKeys } from './request-keys.ts'
import type { Requests } from './requests.ts'
import type { Simulation } from './simulation.ts'

/** Asks the policy for placements of jobs, unless the answer is known. Jobs are numbers in the workload. */
export class PolicyQueries<Index> {
  /** Number of refusals with the code `search-bound`. */
  searchBounds = 0
  /** Refusals of the policy in the current state. */
  readonly refused: KnownRefusals = new KnownRefusals()
  readonly #policy: PolicyCalls<Index>
  readonly #isMonotone: boolean
  readonly #state: ClusterState<Index>
  /** The empty, healthy cluster. */
  readonly #healthy: ClusterState<Index>
  /** Request keys that the policy has placed on the empty, healthy cluster. */
  readonly #granted = new KnownRefusals()
  readonly #requests: Requests<Index>
  readonly #keys: RequestKeys<Index>
  readonly #reasons: RefusalReasons<Index>
  readonly #remembers: boolean
  readonly #placesByKey: boolean

  constructor(
    { workload, placer, refusals }: Simulation<Index>,
    policy: PolicyCalls<Index>,
    state: ClusterState<Index>,
    requests: Requests<Index>,
    reasons: RefusalReasons<Index>,
  ) {
    this.#policy = policy
    this.#isMonotone = placer.claims.monotone
    this.#state = state
    this.#healthy = state.fork()
    this.#requests = requests
    this.#keys = new RequestKeys(policy, workload.jobs.length)
    this.#reasons = reasons
    this.#remembers = this.#isMonotone && !refusals
    this.#placesByKey = placer.placesByKey === true
  }

  /** Registers a job that was submitted to an earlier scheduler of the same log. */
  know(job: number): void {
    this.#keys.add(job, this.#requests.of(job, 'start'))
  }

  /**
   * Returns the refusal on the empty, healthy cluster: the reason why the submitted job can never run. Returns
   * undefined if the job can run.
   */
  refusalForGood(job: number): Refusal | undefined {
    const request = this.#requests.of(job, 'start')
    const key = this.#keys.add(job, request)
    if (this.#isMonotone && this.#granted.has(key)) return undefined
    const outcome = this.#policy.place(this.#healthy, request, true)
    if (!outcome.ok) return outcome
    // The job may be cancelled before the next question. An invalid placement must be found here.
    this.#policy.checkPlacement(this.#healthy.topology, request.job, outcome)
    this.#granted.add(key)
    return undefined
  }

  /** Returns a placement for a start now, from all free nodes and links; undefined if the policy gives none. */
  placeNow(job: number): Placement | undefined {
    return this.place(job, this.#state, 'start', this.refused)
  }

  /**
   * Returns a placement for the job in a state derived from the current state; undefined if the policy gives none.
   *
   * @param refused refusals of the policy in that state
   * @param withheld reservations whose nodes and links are withheld from that state
   */
  place(
    job: number,
    state: ClusterState<Index>,
    purpose: 'start' | 'backfill',
    refused: KnownRefusals | undefined,
    withheld: ReadonlyArray<Withheld> = [],
  ): Placement | undefined {
    const reports = this.#reasons.areWantedOf(job)
    if (!reports && this.#policy.isTooFull(state, this.#keys.sizeOf(job))) return undefined
    const key = this.#keys.of(job)
    if (refused !== undefined && this.#remembers && !reports && refused.has(key)) return undefined
    const outcome = this.#policy.place(state, this.#requests.of(job, purpose))
    if (outcome.ok) return outcome
    if (outcome.code === 'search-bound') this.searchBounds++
    else refused?.add(key)
    if (reports) this.#reasons.report(job, outcome, withheld)
    return undefined
  }

  /**
   * Returns a placement for the job in the state expected at a later instant; undefined if the policy gives none.
   *
   * @param refused refusals of the policy in that state
   */
  placeLater(
    job: number,
    state: ClusterState<Index>,
    startsAt: number,
    refused?: KnownRefusals,
  ): Placement | undefined {
    if (!this.#reasons.areWantedOf(job) && this.#policy.isTooFull(state, this.#keys.sizeOf(job))) return undefined
    if (refused !== undefined && this.isRefused(job, refused)) return undefined
    const outcome = this.#policy.place(state, this.#requests.later(job, startsAt))
    if (outcome.ok) return outcome
    if (outcome.code === 'search-bound') this.searchBounds++
    else refused?.add(this.#keys.of(job))
    return undefined
  }

  /**
   * Returns true if earlier answers of the policy show that a waiting job cannot start now, even on nodes and links of
   * reservations. Asks the policy nothing.
   */
  cannotStart(job: number): boolean {
    if (this.#reasons.areWantedOf(job)) return false
    const size = this.#keys.sizeOf(job)
    // A monotone policy that refuses a job in the whole state also refuses the job in a smaller state.
    if (!this.#isMonotone) return size > this.#state.freeNodes
    return (this.#remembers && this.refused.has(this.#keys.of(job))) || this.#policy.isTooFull(this.#state, size)
  }

  /** Returns the requested nodes of a waiting job. */
  sizeOf(job: number): number {
    return this.#keys.sizeOf(job)
  }

  /** Returns the estimate of a waiting job without regard to a placement, integer milliseconds. */
  estimateOf(job: number): number {
    return this.#keys.estimateOf(job)
  }

  /** Tests whether the reasons of a job's refusals are wanted. The policy is then asked even if the answer is known. */
  areReasonsWantedOf(job: number): boolean {
    return this.#reasons.areWantedOf(job)
  }

  /**
   * Returns true if `inVain` holds the request key of the job: an earlier job with this key was placed in vain. Always
   * false unless the policy sets `placesByKey`.
   */
  isPlacedInVain(job: number, inVain: KnownRefusals): boolean {
    return this.#placesByKey && this.isRefused(job, inVain)
  }

  /** Remembers that the policy's placement of the job in the current state was in vain. */
  addPlacedInVain(job: number, inVain: KnownRefusals): void {
    inVain.add(this.#keys.of(job))
  }

  /**
   * Returns the request key of a job; jobs with equal keys get equal answers. Returns -1 if the policy does not set
   * `placesByKey`, if refusals are not remembered, or if the reasons of refusals are wanted.
   */
  sharedKey(job: number): number {
    return this.#placesByKey && this.#remembers && !this.#reasons.areWantedOf(job) ? this.#keys.of(job) : -1
  }

  /**
   * Tests whether `refused` holds the request key of the job. Always false if the reasons of its refusals are wanted.
   */
  isRefused(job: number, refused: KnownRefusals): boolean {
    return this.#remembers && !this.#reasons.areWantedOf(job) && refused.has(this.#keys.of(job))
  }
}
