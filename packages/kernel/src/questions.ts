import type { ClusterState, Placement, Refusal } from '@cloister/placement'
import type { GuardedPolicy } from './guarded-policy.ts'
import type { RefusalReasons, Withheld } from './refusal-reasons.ts'
import type { Requests } from './requests.ts'
import type { SchedulerSetup } from './setup.ts'

/** Asks the policy for placements of jobs, unless the answer is known. Jobs are numbers in the workload. */
export class Questions<Index> {
  /** Number of refusals after a bounded search (`search-bound`). */
  searchBounds = 0
  /** Request keys that the policy has refused in the current state. */
  readonly refused: KnownRefusals = new KnownRefusals()
  readonly #policy: GuardedPolicy<Index>
  readonly #isMonotone: boolean
  readonly #state: ClusterState<Index>
  /** The cluster without jobs and failures. */
  readonly #healthy: ClusterState<Index>
  /** Request keys that the policy has placed in `#healthy`. */
  readonly #granted: KnownRefusals = new KnownRefusals()
  readonly #requests: Requests
  readonly #reasons: RefusalReasons<Index>
  readonly #remembers: boolean
  readonly #placesByKey: boolean

  constructor(
    { placer, refusals }: SchedulerSetup<Index>,
    policy: GuardedPolicy<Index>,
    state: ClusterState<Index>,
    requests: Requests,
    reasons: RefusalReasons<Index>,
  ) {
    this.#policy = policy
    this.#isMonotone = placer.claims.monotone
    this.#state = state
    this.#healthy = state.fork()
    this.#requests = requests
    this.#reasons = reasons
    this.#remembers = this.#isMonotone && !refusals
    this.#placesByKey = placer.placesByKey === true
  }

  /** Returns the policy's refusal of a job on the empty, healthy cluster; undefined if the policy places the job. */
  refusalForGood(job: number): Refusal | undefined {
    const request = this.#requests.of(job, 'start')
    const key = this.#requests.addKey(job, request)
    if (this.#isMonotone && this.#granted.has(key)) return undefined
    const outcome = this.#policy.place(this.#healthy, request, true)
    if (!outcome.ok) return outcome
    // An invalid placement is found here, because the job may be cancelled before the next request.
    this.#policy.checkPlacement(request.job, outcome)
    this.#granted.add(key)
    return undefined
  }

  placeNow(job: number): Placement | undefined {
    return this.place(job, this.#state, 'start', this.refused)
  }

  /**
   * @param refused request keys that the policy has refused in `state`
   * @param withheld reservations whose nodes and links are withheld from `state`
   */
  place(
    job: number,
    state: ClusterState<Index>,
    purpose: 'start' | 'backfill',
    refused: KnownRefusals | undefined,
    withheld: ReadonlyArray<Withheld> = [],
  ): Placement | undefined {
    const reports = this.#reasons.areWantedOf(job)
    if (!reports && this.#policy.isTooFull(state, this.#requests.sizeOf(job))) return undefined
    const key = this.#requests.keyOf(job)
    if (refused !== undefined && this.#remembers && !reports && refused.has(key)) return undefined
    const outcome = this.#policy.place(state, this.#requests.of(job, purpose))
    if (outcome.ok) return outcome
    if (outcome.code === 'search-bound') this.searchBounds++
    else refused?.add(key)
    if (reports) this.#reasons.report(job, outcome, withheld)
    return undefined
  }

  /**
   * Returns a placement in a fork in which running jobs have moved. Refusals there are no reasons for a wait.
   *
   * @param estimate time until the expected end of the job, integer milliseconds
   */
  placeIn(state: ClusterState<Index>, job: number, estimate: number): Placement | undefined {
    const outcome = this.#policy.place(state, { ...this.#requests.of(job, 'start'), estimate })
    return outcome.ok ? outcome : undefined
  }

  /** @param refused request keys that the policy has refused in `state`, the state expected at `startsAt` */
  placeLater(
    job: number,
    state: ClusterState<Index>,
    startsAt: number,
    refused?: KnownRefusals,
  ): Placement | undefined {
    if (!this.#reasons.areWantedOf(job) && this.#policy.isTooFull(state, this.#requests.sizeOf(job))) return undefined
    if (refused !== undefined && this.isRefused(job, refused)) return undefined
    const outcome = this.#policy.place(state, this.#requests.later(job, startsAt))
    if (outcome.ok) return outcome
    if (outcome.code === 'search-bound') this.searchBounds++
    else refused?.add(this.#requests.keyOf(job))
    return undefined
  }

  /**
   * Returns the most nodes with which a job may start now, even on reserved nodes and links; NaN if the policy's bound
   * is no number. A monotone policy that refuses a job with all free nodes also refuses the job without the reserved
   * nodes.
   */
  mostNodesNow(): number {
    const { freeNodes } = this.#state
    return this.#isMonotone ? Math.min(freeNodes, this.#policy.mostNodes(this.#state)) : freeNodes
  }

  /**
   * Returns true if earlier answers show that a job cannot start now, even on reserved nodes and links.
   *
   * @param most result of `mostNodesNow` since the last start
   */
  cannotStart(job: number, most: number): boolean {
    if (this.#reasons.areWantedOf(job)) return false
    return this.#requests.sizeOf(job) > most || (this.#remembers && this.refused.has(this.#requests.keyOf(job)))
  }

  /** Returns true if a job's refusals are reported. The policy is then asked even if the answer is known. */
  areReasonsWantedOf(job: number): boolean {
    return this.#reasons.areWantedOf(job)
  }

  /**
   * Returns the most nodes of a job that may leave a second job a placement in `later`, by the number of free nodes and
   * by the policy's bound.
   */
  mostNodesBeside(later: ClusterState<Index>, head: number): number {
    const size = this.#requests.sizeOf(head)
    return Math.min(later.freeNodes - size, this.#policy.mostNodesBeside(this.#state, later, size))
  }

  /** Returns true if an earlier job with this request key was placed in vain; needs `placesByKey`. */
  isPlacedInVain(job: number, inVain: KnownRefusals): boolean {
    return this.#placesByKey && this.isRefused(job, inVain)
  }

  /** Remembers that the discipline cannot use the policy's placement of the job in the current state. */
  addPlacedInVain(job: number, inVain: KnownRefusals): void {
    inVain.add(this.#requests.keyOf(job))
  }

  /** Returns the request key of a job; -1 if the policy sets no `placesByKey` or must always be asked. */
  sharedKey(job: number): number {
    return this.#placesByKey && this.#remembers && !this.#reasons.areWantedOf(job) ? this.#requests.keyOf(job) : -1
  }

  isRefused(job: number, refused: KnownRefusals): boolean {
    return this.#remembers && !this.#reasons.areWantedOf(job) && refused.has(this.#requests.keyOf(job))
  }
}

/**
 * Request keys that a policy has refused in a state. The memory is sound only for monotone policies, and only until
 * nodes or links become free: call `forget()` then. Keys are small integers; -1 is never remembered.
 */
export class KnownRefusals {
  #epoch = 1
  #refusedIn: Int32Array = new Int32Array(1024)

  has(key: number): boolean {
    return key >= 0 && this.#refusedIn[key] === this.#epoch
  }

  add(key: number): void {
    if (key < 0) return
    if (key >= this.#refusedIn.length) {
      const grown = new Int32Array(2 * key)
      grown.set(this.#refusedIn)
      this.#refusedIn = grown
    }
    this.#refusedIn[key] = this.#epoch
  }

  forget(): void {
    this.#epoch++
  }
}
