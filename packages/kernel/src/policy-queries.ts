import type { ClusterState, Placement, Refusal } from '@cloister/placement'
import { KnownRefusals } from './known-refusals.ts'
import type { PolicyCalls } from './policy-calls.ts'
import type { RefusalReasons, Withheld } from './refusal-reasons.ts'
import { RequestKeys } from './request-keys.ts'
import type { Requests } from './requests.ts'
import type { Simulation } from './simulation.ts'

/** Asks the policy where a job can be placed, unless the answer is known. Jobs are numbers in the workload. */
export class PolicyQueries<Index> {
  /** How often the policy gave up a search. */
  searchBounds = 0
  /** What the policy refused in the state as it is now. */
  readonly refused: KnownRefusals = new KnownRefusals()
  readonly #policy: PolicyCalls<Index>
  readonly #isMonotone: boolean
  readonly #state: ClusterState<Index>
  /** The empty, healthy cluster. */
  readonly #healthy: ClusterState<Index>
  /** Keys that the empty, healthy cluster has granted. */
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

  /** A job comes that was submitted to another scheduler of the same log. */
  know(job: number): void {
    this.#keys.add(job, this.#requests.of(job, 'start'))
  }

  /** Why a job that is submitted can never run, not even on the empty and healthy cluster; undefined where it can. */
  refusalForGood(job: number): Refusal | undefined {
    const request = this.#requests.of(job, 'start')
    const key = this.#keys.add(job, request)
    if (this.#isMonotone && this.#granted.has(key)) return undefined
    const outcome = this.#policy.place(this.#healthy, request, true)
    if (!outcome.ok) return outcome
    // The job may be gone before it is ever placed: what is wrong with the answer shows here or not at all.
    this.#policy.checkPlacement(this.#healthy.topology, request.job, outcome)
    this.#granted.add(key)
    return undefined
  }

  /** Where the job can start now, with all that is free. */
  placeNow(job: number): Placement | undefined {
    return this.place(job, this.#state, 'start', this.refused)
  }

  /**
   * Where the job can be placed in a state made from the one of now.
   *
   * @param refused what the policy refused in that state
   * @param withheld the reservations that the state is without
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
   * Where the job can be placed in the state expected at an instant, made from the one of now.
   *
   * @param refused what the policy refused in that state
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

  /** Whether a job that waits cannot start now, nor behind a reservation, by what is known without asking the policy. */
  cannotStart(job: number): boolean {
    if (this.#reasons.areWantedOf(job)) return false
    const size = this.#keys.sizeOf(job)
    // What the whole state has no room for, a monotone policy refuses with less.
    if (!this.#isMonotone) return size > this.#state.freeNodes
    return (this.#remembers && this.refused.has(this.#keys.of(job))) || this.#policy.isTooFull(this.#state, size)
  }

  /** Nodes that a job that waits wants. */
  sizeOf(job: number): number {
    return this.#keys.sizeOf(job)
  }

  /** Of a job that waits by itself, integer milliseconds. */
  estimateOf(job: number): number {
    return this.#keys.estimateOf(job)
  }

  /** Whether anyone wants to know why a job does not start: the policy is then asked, whatever is known already. */
  areReasonsWantedOf(job: number): boolean {
    return this.#reasons.areWantedOf(job)
  }

  /** Whether such a job is known not to start on what the policy gives it; only where it gives that to all of one key. */
  isPlacedInVain(job: number, inVain: KnownRefusals): boolean {
    return this.#placesByKey && this.isRefused(job, inVain)
  }

  /** What the policy gives such a job in the state as it is does not help it. */
  addPlacedInVain(job: number, inVain: KnownRefusals): void {
    inVain.add(this.#keys.of(job))
  }

  /** The key of all jobs that the policy places as it does this one, and refuses as it does; -1 where it says that of none. */
  sharedKey(job: number): number {
    return this.#placesByKey && this.#remembers && !this.#reasons.areWantedOf(job) ? this.#keys.of(job) : -1
  }

  /** Whether a refusal of such a job is known, and it need not be asked about for the reason. */
  isRefused(job: number, refused: KnownRefusals): boolean {
    return this.#remembers && !this.#reasons.areWantedOf(job) && refused.has(this.#keys.of(job))
  }
}
